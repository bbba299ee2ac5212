/**
 * npm passes a signal on to the shell between us and itself, and that shell may end without telling us. So the end of
 * whoever started us is our order to stop.
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
