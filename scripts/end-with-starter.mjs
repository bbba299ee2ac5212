/**
 * npm forwards a signal to the shell between npm and us, and that shell may exit without passing it on. So we stop when
 * our parent process ends.
 */
export function endWithStarter() {
  if (process.env.npm_lifecycle_event === undefined) return;
  const starter = process.ppid;
  const timer = setInterval(() => {
    if (process.ppid === starter) return;
    clearInterval(timer);
    process.kill(process.pid, 'SIGTERM');
  }, 250);
  timer.unref();
}
