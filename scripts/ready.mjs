import { existsSync, mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { delimiter, dirname, join } from 'node:path';

/** The first Node that runs our TypeScript as it is, and the one that is fetched where an older one runs. */
const firstGoodMajor = 24;
const fetchedNode = '24.21.0';

export const isGoodNode = (version) => Number.parseInt(version, 10) >= firstGoodMajor;

/** The path of a good Node of our own, fetched into .cache/node/ once. */
export async function fetchNode(root) {
  const home = join(root, '.cache', 'node', fetchedNode);
  // The package "node" only picks one of these by an install script, which newer versions of npm do not run.
  const system = process.platform === 'win32' ? 'win' : process.platform;
  const name = `${system === 'darwin' && process.arch === 'arm64' ? 'node-bin' : 'node'}-${system}-${process.arch}`;
  const binary = join(home, 'node_modules', name, 'bin', system === 'win' ? 'node.exe' : 'node');
  if (existsSync(binary)) return binary;
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
    await npm(title, draft, [...install, `${name}@${fetchedNode}`]);
    if (existsSync(binary)) return binary; // another start was faster
    rmSync(home, { recursive: true, force: true });
    renameSync(draft, home);
  } catch (error) {
    throw new Error(`${error.message}\nInstall Node ${firstGoodMajor} or later by hand, and start again.`);
  } finally {
    rmSync(draft, { recursive: true, force: true });
  }
  return binary;
}

/** Installs what package-lock.json asks for, unless exactly that is installed already. */
export async function installPackages(root) {
  const installed = packagesOf(join(root, 'node_modules', '.package-lock.json'));
  const [missing] = missingPackages(packagesOf(join(root, 'package-lock.json')), installed);
  if (missing === undefined) return;
  const why = Object.keys(installed).length === 0 ? 'once' : `${missing} is not as package-lock.json asks`;
  await npm(`Installing the npm packages (${why})`, root, ['ci', '--include=dev', '--no-audit', '--no-fund']);
}

/** The names of the packages that a lock file asks for and that npm's record of node_modules does not have so. */
export function missingPackages(wanted, installed) {
  const asked = Object.entries(wanted).filter(([path, { optional }]) => path !== '' && !optional);
  const missing = asked.filter(([path, { version }]) => installed[path]?.version !== version);
  return missing.map(([path]) => path.replace(/^.*node_modules\//, ''));
}

function packagesOf(lockFile) {
  return existsSync(lockFile) ? JSON.parse(readFileSync(lockFile, 'utf8')).packages : {};
}

async function npm(title, cwd, args) {
  const { runStep } = await import('./progress.mjs');
  const env = { ...process.env, PATH: pathWith(dirname(process.execPath)) };
  await runStep(title, [...npmCommand(), ...args], { cwd, env, shell: process.platform === 'win32' });
}

/** The npm that started us, else the one beside this Node, else the one on the PATH. */
function npmCommand() {
  const cli = process.env.npm_execpath ?? '';
  if (cli.endsWith('npm-cli.js') && existsSync(cli)) return [process.execPath, cli];
  const beside = join(dirname(process.execPath), process.platform === 'win32' ? 'npm.cmd' : 'npm');
  return [existsSync(beside) ? beside : 'npm'];
}

export const pathWith = (folder) => [folder, process.env.PATH].join(delimiter);
