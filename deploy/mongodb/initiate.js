// mongosh --nodb initiate.js: makes the members one set, and the users of the gateway and of its operators. It signs in as the
// members do to each other, by their key file, and leaves alone what is there. Members that ask for TLS need MONGODB_OPTIONS, the
// options of a connection string: tls=true&tlsCAFile=/run/ca.pem
const { readFileSync } = require('node:fs');
const list = (name, standard) => (process.env[name] ?? standard).split(',');
const hosts = list('MONGODB_HOSTS', 'mongodb-1:27017,mongodb-2:27017,mongodb-3:27017');
const databases = list('MONGODB_DATABASES', 'inspection_exchange,inspection_exchange_demo');
const secrets = process.env.MONGODB_SECRETS ?? '/run/mongodb';
const secret = (name) => readFileSync(`${secrets}/${name}`, 'utf8').replaceAll(/\s/g, '');
const options = process.env.MONGODB_OPTIONS ? `&${process.env.MONGODB_OPTIONS}` : '';
const members = hosts.map((host, _id) => ({ _id, host, priority: _id === 0 ? 2 : 1 }));
const GATEWAY = databases.flatMap((db) => ['readWrite', 'dbAdmin'].map((role) => ({ role, db })));
const OPERATORS = [{ role: 'root', db: 'admin' }];

function signIn(servers, which) {
  const key = encodeURIComponent(secret('keyfile'));
  const address = `mongodb://__system:${key}@${servers}/admin?authSource=local&serverSelectionTimeoutMS=60000&${which}${options}`;
  try {
    const admin = connect(address); // mongosh waits here, and not in a return
    return admin;
  } catch (error) {
    if (error.codeName !== 'AuthenticationFailed') throw error;
    const users = { exchange: GATEWAY, admin: OPERATORS };
    throw new Error(
      `${servers} does not know the key in ${secrets}/keyfile, so that users have to be made by hand, with these roles: ${JSON.stringify(users)}`,
    );
  }
}

function initiate(first) {
  try {
    first.runCommand({ replSetInitiate: { _id: 'rs0', members } });
    return 'made';
  } catch (error) {
    if (error.codeName === 'AlreadyInitialized') return 'there already';
    throw error;
  }
}

/** Earlier versions gave the gateway every database. */
const isTooPowerful = ({ roles }) => roles.some(({ role }) => role.endsWith('AnyDatabase'));

function makeUser(admin, { user, passwordFile, roles }) {
  const found = admin.getUser(user);
  if (found === null) {
    admin.createUser({ user, pwd: secret(passwordFile), roles });
    return 'made';
  }
  if (user !== 'exchange' || !isTooPowerful(found)) return 'there already';
  admin.updateUser(user, { roles });
  return 'there already, now with its own databases alone';
}

print(`The set: ${initiate(signIn(hosts[0], 'directConnection=true'))}`);
const admin = signIn(hosts, 'replicaSet=rs0'); // there once it has a primary
print(`The user of the gateway: ${makeUser(admin, { user: 'exchange', passwordFile: 'password', roles: GATEWAY })}`);
print(`The user of operators: ${makeUser(admin, { user: 'admin', passwordFile: 'admin-password', roles: OPERATORS })}`);
