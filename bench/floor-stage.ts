import { openStage } from './stage.ts';

const stage = await openStage(5000, console.log);
console.log(
  JSON.stringify({
    uri: stage.place.uri,
    db: stage.place.database,
    ws: stage.data.stored.workspaces.map((w) => w._id),
    readers: stage.data.stored.workspaces[0]?.readers,
  }),
);
process.once('SIGTERM', () => void stage.close().then(() => process.exit(0)));
setInterval(() => {}, 1000);
