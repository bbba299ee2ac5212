/** Who makes requests: a key, or a user. */
export interface Principal {
  readonly id: string;
  readonly name: string;
  readonly tenant: string;
}
