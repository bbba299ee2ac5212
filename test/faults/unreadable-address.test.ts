import { expect, it } from 'vitest';
import { clientOf } from '../../src/store/connection/connecting.ts';

const failureOf = (uri: string): Error => {
  try {
    clientOf(uri, {});
  } catch (error) {
    return error as Error;
  }
  throw new Error('It was taken.');
};

it.each([
  'mongodb://u:s3cr3t%40127.0.0.1:47320/db',
  'mongodb://u:s3cr3t',
  'mongodb://u:s3cr3t,host:1/',
  'mongodb://u:s3cr3t:x/?replicaSet=a',
  'mongodb://u:123?s3cr3t@host:1/?replicaSet=a',
  'mongodb://u:s3cr3t@x@host:1/',
])('an address the driver cannot parse, %s, appears in neither the error nor its cause', (uri) => {
  const { message, cause } = failureOf(uri);
  expect(message).toMatch(/^MONGODB_URI cannot be used: it names no host that can be read\. .* as %40 for @\.$/);
  expect(cause).toBeUndefined();
});

it('an option unknown to the driver is named', () => {
  const { message } = failureOf('mongodb://u:s3cr3t@127.0.0.1:1/?wrong=1');
  expect(message).toBe('MONGODB_URI cannot be used: option wrong is not supported.');
});

it.each(['journal=false', 'j=false', 'fsync=false', 'w=majority&journal=false'])(
  'an address whose writes would be confirmed before they are in the journal is refused: %s',
  (option) => {
    const { message } = failureOf(`mongodb://u:s3cr3t@127.0.0.1:1/?${option}`);
    expect(message).toMatch(/^MONGODB_URI cannot be used: with journal=false, .* Leave that option out\.$/);
  },
);
