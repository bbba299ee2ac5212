/** The form of a MongoDB address, for the message that rejects one. */
export const MONGODB_ADDRESS =
  'an address that starts with mongodb:// and names its hosts, or with mongodb+srv:// and one host without a port, as in mongodb://USER:PASSWORD@HOST:27017/?replicaSet=NAME; in a user name or password, characters such as @ : / % must be percent-encoded, as %40 for @';

const PARTS =
  /^mongodb(?<srv>\+srv)?:\/\/(?<user>[^:/?#[\]@]+(?::[^:/?#[\]@]*)?@)?(?<hosts>[^/?#@]+)(?:\/[^/?#@]*)?(?:\?(?<options>.*))?$/;
const OPTION = /^$|^[a-z]\w*(=|$)/i;
const HIGHEST_PORT = 65_535;

/**
 * Whether an address can be that of a MongoDB. If a character of the password is not encoded, or the `@` after it is missing, the
 * driver takes the rest of the password for a host, database or option, and reveals it.
 */
export function isMongodbAddress(text: string): boolean {
  const { srv, user = '', hosts = '', options = '' } = PARTS.exec(text)?.groups ?? {};
  if (/%(?![\da-f]{2})/i.test(user) || (srv !== undefined && /[,:]/.test(hosts))) return false;
  return hosts.split(',').every(isHost) && options.split('&').every((option) => OPTION.test(option));
}

/** A host with an optional port, or a socket. */
function isHost(host: string): boolean {
  if (/^[^:]+\.sock$/.test(host)) return true;
  const parts = /^([\p{L}\p{N}_.-]+|\[[\da-f:.]+\])(:(?<port>\d{1,5}))?$/iu.exec(host);
  const port = Number(parts?.groups?.port ?? 1);
  return parts !== null && port > 0 && port <= HIGHEST_PORT;
}
