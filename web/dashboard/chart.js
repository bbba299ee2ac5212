// One picture by ECharts, drawn as SVG in the colours of the page.
import { html, useEffect, useRef } from './preact.js';

const dark = matchMedia('(prefers-color-scheme: dark)');
/** Paper is white. */
let isPrinting = false;
const isDark = () => dark.matches && !isPrinting;

/** `option` is ECharts' own; `pick` gets the datum of a mark that is chosen. */
export function Chart({ option, height = 320, label, pick }) {
  /** Set before effects run. */
  const place = useRef(/** @type {HTMLDivElement & { option: object }} */ (/** @type {unknown} */ (null)));
  const chart = useRef(/** @type {import('echarts').ECharts | undefined} */ (undefined));
  const picked = useRef(pick);
  picked.current = pick;
  useEffect(() => {
    const open = () => {
      chart.current?.dispose();
      const opened = echarts.init(place.current, isDark() ? 'dark' : undefined, { renderer: 'svg' });
      opened.on('click', ({ data }) => picked.current?.(data));
      opened.setOption(withDefaults(place.current.option));
      chart.current = opened;
    };
    place.current.option = option;
    open();
    dark.addEventListener('change', open);
    const print = () => {
      isPrinting = true;
      open();
      chart.current?.getZr().flush();
    };
    const printed = () => {
      isPrinting = false;
      open();
    };
    addEventListener('beforeprint', print);
    addEventListener('afterprint', printed);
    const size = new ResizeObserver(() => chart.current?.resize());
    size.observe(place.current);
    return () => {
      dark.removeEventListener('change', open);
      removeEventListener('beforeprint', print);
      removeEventListener('afterprint', printed);
      size.disconnect();
      chart.current?.dispose();
    };
  }, []);
  useEffect(() => {
    place.current.option = option;
    chart.current?.setOption(withDefaults(option), { notMerge: true });
  }, [option]);
  return html`<div class="chart" ref=${place} role="img" aria-label=${label} style=${{ height: `${height}px` }}></div>`;
}

const MARGINS = { left: 8, right: 28, top: 36, bottom: 8, containLabel: true };

const withDefaults = (option) => ({
  backgroundColor: 'transparent',
  darkMode: isDark(),
  useUTC: true, // as days in tables and filters are
  animation: !isPrinting && !matchMedia('(prefers-reduced-motion: reduce)').matches,
  animationDuration: 300,
  tooltip: { trigger: 'item', confine: true },
  ...option,
  xAxis: { ...option.xAxis, axisLabel: { hideOverlap: true, ...option.xAxis.axisLabel } },
  grid: [option.grid ?? {}].flat().map((grid) => ({ ...MARGINS, ...grid })),
});
