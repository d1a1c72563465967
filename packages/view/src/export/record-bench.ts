import { formatCount } from "@laconic/core/text";
import type { FolderReader } from "../data/folder-data.ts";
import type { BenchTable, RecordedBench, SampleDetail } from "../protocol.ts";
import type { Recording } from "./record-run.ts";
import { embeddedBytes } from "./sized.ts";

/** Samples that are looked at. */
const maxSamples = 500;

/** A sample larger than this loses its calls. */
const largeBytes = 40_000;

/** A bench's table, with as many of its samples as there is room for, question by question. */
export async function recordBench(
  data: FolderReader,
  table: BenchTable,
  maxBytes: number,
): Promise<Recording<RecordedBench>> {
  const rows = (await data.samples(table.id, { sort: "question", limit: maxSamples }))?.rows ?? [];
  const samples: SampleDetail[] = [];
  let [left, withoutCalls] = [maxBytes - embeddedBytes(table), 0];
  for (const { key } of rows) {
    const whole = await data.sample(table.id, key);
    if (!whole) continue;
    const isLarge = embeddedBytes(whole) > largeBytes;
    const sample = isLarge ? { ...whole, calls: [], callsMissing: "the copy has no room for them" } : whole;
    left -= embeddedBytes(sample) + 1;
    if (left < 0) break;
    if (isLarge) withoutCalls += 1;
    samples.push(sample);
  }
  const held = new Set(samples.map(({ row }) => row.key));
  return {
    recorded: {
      table,
      samples: samples.map((each) => ({ ...each, others: each.others.filter(({ key }) => held.has(key)) })),
    },
    leftOut: [
      ...(samples.length < table.samples
        ? [`samples: ${formatCount(samples.length)} of ${formatCount(table.samples)} are here`]
        : []),
      ...(withoutCalls > 0 ? [`requests and replies of ${formatCount(withoutCalls)} samples`] : []),
    ],
  };
}
