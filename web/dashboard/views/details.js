import { counted, isolated, labelOf, named, timed, vesselsOf } from './show.js';
import { largestLoss, voyagePictures, voyageTables } from './voyage.js';

/** @import { DashboardJobQuery } from '../operations.d.ts' */

/** Whether a result is off specification: `isOffSpec`, or `isPassed` where that is absent; null where nobody judged it. @param {{ isOffSpec: boolean | null, isPassed: boolean | null }} result */
const isOff = ({ isOffSpec, isPassed }) => isOffSpec ?? (isPassed === null ? null : !isPassed);
/** @type {Record<string, string>} */
const YES_NO = { true: 'yes', false: 'no' };
/** How many files are listed; one more is asked for, which tells whether there are others. */
const FILES = 100;

/** What a job is, its results and findings, its files, and who changed what. @param {DashboardJobQuery} data */
export function detailsView({ job, qualityResults, offSpecification, failed }) {
  if (!job) return { title: 'No such job', empty: 'It was deleted, or you may not see it.' };
  const { completeness, cargo, figureAudit, voyageAnalysis: voyage } = job;
  const off = offSpecification.totalCount + failed.totalCount;
  const listed = [
    ...offSpecification.nodes,
    ...failed.nodes,
    ...qualityResults.nodes.filter((result) => !isOff(result)),
  ];
  const oldest = job.versions.at(-1)?.number ?? 1;
  const missing = completeness.isComplete
    ? 'nothing is missing'
    : `missing: ${isolated(completeness.missing.join(', ')) || 'nothing was requested'}`;
  return {
    title: `${isolated(labelOf(job))}: ${counted(qualityResults.totalCount, 'quality result')}${off ? `, ${off} off specification` : ''}; ${missing}; ${figureAudit.passed ? 'the audit finds nothing' : counted(figureAudit.findings.length, 'finding')}`,
    note: [
      `${job.activity ?? 'Inspection'} of ${cargo?.quantity?.toLocaleString('en') ?? '?'} ${isolated(named(cargo?.uom) ?? '')} ${isolated(named(cargo?.product) ?? '')}`,
      isolated(vesselsOf(job)),
      isolated(named(job.location) ?? ''),
      `${job.status ? `state ${job.status}` : 'no status'}`,
      ['ETA ', timed(job.eta) ?? 'unknown'],
      ['ETC ', timed(job.etc) ?? 'unknown'],
      largestLoss(voyage),
    ]
      .filter((part) => part !== null && part !== '')
      .flatMap((part, index) => [index > 0 ? ' · ' : '', part].flat()),
    pictures: voyagePictures(voyage),
    tables: [
      ...voyageTables(voyage),
      {
        name: 'findings-of-job',
        caption: 'Findings',
        columns: ['Rule', 'Severity', 'What is wrong', 'Expected', 'Actual'],
        rows: figureAudit.findings.map(({ rule, severity, message, expected, actual }) => ({
          cells: [rule, severity, message, expected, actual],
        })),
      },
      {
        name: 'quantities',
        caption: 'Quantities',
        columns: ['Side', 'Figure', 'Value', 'Unit'],
        rows: job.quantityResults.flatMap(({ direction, measurements }) =>
          measurements.map(({ code, name, value, uom }) => ({ cells: [direction, code ?? name, value, named(uom)] })),
        ),
      },
      {
        name: 'quality',
        caption:
          listed.length < qualityResults.totalCount
            ? `Quality: ${listed.length} of ${qualityResults.totalCount.toLocaleString('en')} results, the newest of those off specification and of all`
            : 'Quality',
        columns: ['Test', 'Result', 'Unit', 'Off specification'],
        rows: listed.map(({ test, value, uom, ...result }) => ({
          cells: [named(test), value?.text ?? null, named(uom), YES_NO[String(isOff(result))]],
        })),
      },
      {
        name: 'files',
        caption: job.attachments.length > FILES ? `Files: the newest ${FILES}; there are more` : 'Files',
        columns: ['File', 'Bytes', 'Format'],
        rows: job.attachments.slice(0, FILES).map(({ caption, content, size, format }) => ({
          cells: [{ name: caption, file: String(content) }, size, format],
        })),
      },
      {
        name: 'versions',
        caption: `Versions: who changed what${oldest > 1 ? ` (versions before ${oldest.toLocaleString('en')} are not listed)` : ''}`,
        columns: ['Version', 'By', 'Changed', 'At'],
        rows: job.versions.map(({ number, modifiedAt, modifier, changes }) => ({
          cells: [
            `Version ${number}`,
            modifier?.name,
            changes
              .map(({ path }) => path)
              .slice(0, 6)
              .join(', '),
            timed(modifiedAt),
          ],
        })),
      },
    ],
  };
}
