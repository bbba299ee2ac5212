import { Channel } from 'node:diagnostics_channel';
import { createRequire } from 'node:module';
import type { PerformanceObserver } from 'node:perf_hooks';

/** Something that can be switched on for some requests and off for others. */
export interface Toggle {
  on(): void;
  off(): void;
}

/** The object in which CommonJS modules find these functions. */
const perfHooks = createRequire(import.meta.url)('node:perf_hooks') as typeof import('node:perf_hooks');

/**
 * Makes something that listens to the whole process (diagnostics channels, garbage collections, the event loop's delay); the
 * toggle decides when it listens.
 */
export function recordSubscriptions(make: () => unknown): Toggle {
  const toggles: Toggle[] = [];
  const { subscribe } = Channel.prototype;
  const { PerformanceObserver: Observer, monitorEventLoopDelay } = perfHooks;
  Channel.prototype.subscribe = function record(listener): void {
    toggles.push({ on: () => this.subscribe(listener), off: () => void this.unsubscribe(listener) });
  };
  perfHooks.PerformanceObserver = class extends Observer {
    override observe(...options: Parameters<PerformanceObserver['observe']>): void {
      toggles.push({ on: () => super.observe(...options), off: () => this.disconnect() });
    }
  };
  perfHooks.monitorEventLoopDelay = (options): ReturnType<typeof monitorEventLoopDelay> => {
    const histogram = monitorEventLoopDelay(options);
    toggles.push({ on: () => void histogram.enable(), off: () => void histogram.disable() });
    return histogram;
  };
  try {
    make();
  } finally {
    Channel.prototype.subscribe = subscribe;
    Object.assign(perfHooks, { PerformanceObserver: Observer, monitorEventLoopDelay });
  }
  const toggle = { on: () => each('on'), off: () => each('off') };
  const each = (name: keyof Toggle): void => {
    for (const one of toggles) one[name]();
  };
  toggle.off();
  return toggle;
}
