import { spawn } from 'node:child_process';

const frames = ['⠋', '⠙', '⠹', '⠸', '⠼', '⠴', '⠦', '⠧', '⠇', '⠏'];
const plainLineEveryMs = 15_000;

/**
 * Runs one long step quietly and shows progress: a spinner with the seconds on a terminal, plain lines elsewhere.
 * Everything goes to stderr, so stdout stays the program's. Calls `held` with the pid of the step.
 * Throws with the step's own output if it fails.
 */
export async function runStep(title, [command, ...args], { held, ...options }) {
  const begun = Date.now();
  const seconds = () => `${Math.round((Date.now() - begun) / 1000)} s`;
  const stop = process.stderr.isTTY ? spin(title, seconds) : speak(title, seconds);
  const output = [];
  try {
    const code = await new Promise((resolve, reject) => {
      const step = spawn(command, args, { ...options, stdio: ['ignore', 'pipe', 'pipe'] });
      if (step.pid) held(step.pid);
      step.stdout.on('data', (chunk) => output.push(chunk));
      step.stderr.on('data', (chunk) => output.push(chunk));
      step.on('error', reject).on('close', resolve);
    });
    if (code !== 0) throw new Error(`${[command, ...args].join(' ')} ended with code ${code}`);
    stop(`${title}: done (${seconds()})`);
  } catch (error) {
    stop(`${title}: failed after ${seconds()}`);
    throw new Error(`${Buffer.concat(output).toString().trim()}\n${error.message}`.trim());
  }
}

function spin(title, seconds) {
  let turn = 0;
  const draw = () => process.stderr.write(`\r${frames[turn++ % frames.length]} ${title} … ${seconds()} `);
  const timer = setInterval(draw, 100);
  return (line) => {
    clearInterval(timer);
    process.stderr.write(`\r\x1b[K${line}\n`);
  };
}

function speak(title, seconds) {
  console.error(`${title} …`);
  const timer = setInterval(() => console.error(`  still at it (${seconds()})`), plainLineEveryMs);
  return (line) => {
    clearInterval(timer);
    console.error(line);
  };
}
