import type { Db } from 'mongodb';
import { collectionsWithoutImages } from '../../store/change-streams/pre-images.ts';

/** The member of connectionStatus with the signed-in users and their privileges. */
interface AuthInfo {
  readonly authenticatedUsers: readonly { readonly user: string; readonly db: string }[];
  readonly authenticatedUserPrivileges: readonly {
    readonly resource: { readonly anyResource?: boolean; readonly db?: string; readonly collection?: string };
    readonly actions: readonly string[];
  }[];
}

/** The roles that the user of MONGODB_URI lacks, one a line; none if MongoDB does not require authentication. */
export async function lookAtRights(db: Db): Promise<readonly string[]> {
  const status = await db.command({ connectionStatus: 1, showPrivileges: true });
  const { authenticatedUsers, authenticatedUserPrivileges: privileges } = status.authInfo as AuthInfo;
  const [user] = authenticatedUsers;
  if (user === undefined) return [];
  const may = (action: string, name: string) =>
    privileges.some(({ resource: { anyResource, db: on, collection }, actions }) => {
      const isMeant = [db.databaseName, ''].includes(on ?? '-') && [name, ''].includes(collection ?? '-');
      return actions.includes(action) && (anyResource || isMeant);
    });
  const grant = (role: string) =>
    `db.getSiblingDB("${user.db}").grantRolesToUser("${user.user}", [{ role: "${role}", db: "${db.databaseName}" }])`;
  if (!may('find', 'documents') || !may('insert', 'documents'))
    return [`CHECK: the user ${user.user} may not write this database, as the service does: ${grant('readWrite')}`];
  const refused = (await collectionsWithoutImages(db)).filter((name) => !may('collMod', name));
  if (refused.length === 0) return [];
  return [
    `CHECK: the user ${user.user} may not run collMod, so that MongoDB does not keep the last state of what is deleted (${refused.join(', ')}): ${grant('dbAdmin')}`,
  ];
}
