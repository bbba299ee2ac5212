// mongosh --nodb initiate.js: makes the three members one set, and the user that the gateway signs in as; both only once.
// The first member lets programs on its own machine do that until there is a user (MongoDB's localhost exception).
const hosts = (process.env.MONGODB_HOSTS ?? 'mongodb-1:27017,mongodb-2:27017,mongodb-3:27017').split(',');
const pwd = require('node:fs').readFileSync(process.env.PASSWORD_FILE ?? '/run/mongodb/password', 'utf8');
const port = hosts[0].split(':').at(-1);
const admin = connect(`mongodb://127.0.0.1:${port}/admin?directConnection=true`);

/** The first member is not the primary yet. */
const NOT_YET = ['NotWritablePrimary', 'MongoServerSelectionError'];
const members = hosts.map((host, _id) => ({ _id, host, priority: _id === 0 ? 2 : 1 }));
const roles = ['readWriteAnyDatabase', 'dbAdminAnyDatabase', 'clusterMonitor'].map((role) => ({ role, db: 'admin' }));

/** What the work comes to: done, or the name of the error if it is one of these. */
function attempt(work, expected) {
  try {
    work();
    return 'done';
  } catch (error) {
    const name = error.codeName ?? error.name;
    if (expected.includes(name)) return name;
    throw error;
  }
}

const initiated = attempt(
  () => admin.runCommand({ replSetInitiate: { _id: 'rs0', members } }),
  ['AlreadyInitialized', 'Unauthorized'],
);
print(`The set: ${initiated}`);
for (let tries = 0; ; tries += 1) {
  const made = attempt(
    () => admin.createUser({ user: 'exchange', pwd, roles }),
    ['Unauthorized', 'Location51003', ...NOT_YET],
  );
  if (!NOT_YET.includes(made)) {
    print(`The user: ${made}`);
    break;
  }
  if (tries === 120) throw new Error('The first member has not become the primary within a minute.');
  sleep(500);
}
