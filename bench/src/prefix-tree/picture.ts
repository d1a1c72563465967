import type { TrainingSequence } from "@laconic/core";
import { prefixForest, type PrefixForest } from "@laconic/engine";

/** Pixels. */
const [width, panel, margin, lane, bar, head] = [900, 420, 20, 26, 18, 74] as const;

/** A run of rows, `from` tokens into its sequences, in a lane that may lie between two. */
interface Bar {
  readonly from: number;
  readonly tokens: number;
  readonly lane: number;
  /** Lane of what it continues, null for none. */
  readonly after: number | null;
  /** How many sequences pass it. */
  readonly sequences: number;
}

/** Some sequences by themselves and as a tree, side by side, as an SVG file for light and dark. */
export function prefixTreePicture(title: string, sequences: readonly TrainingSequence[], colours: string): string {
  const forests = [prefixForest(sequences, { shared: false }), prefixForest(sequences)] as const;
  const longest = Math.max(...forests[0].lengths);
  const height = head + lane * sequences.length + margin;
  const captions = ["every sequence by itself", "over the prefix tree"];
  const panels = forests.map((forest, i) => {
    const left = margin + i * (width - 2 * margin - panel);
    const rows = forest.tokens.length.toLocaleString("en");
    const caption = `<text x="${left}" y="56" fill="var(--soft)">${captions[i]}: ${rows} rows</text>`;
    return (
      caption +
      barsOf(forest)
        .map((each) => drawn(each, left, (panel - 8) / longest))
        .join("")
    );
  });
  const said = forests.map((forest, i) => `${captions[i]} ${forest.tokens.length} rows`).join(", ");
  return (
    `<svg viewBox="0 0 ${width} ${height}" xmlns="http://www.w3.org/2000/svg" font-family="system-ui,sans-serif" font-size="13" ` +
    `role="img" aria-labelledby="t d"><title id="t">${title}</title><desc id="d">${said}</desc><style>${colours}</style>` +
    `<rect width="100%" height="100%" rx="10" fill="var(--panel)"/><text x="${margin}" y="30" font-size="15" ` +
    `font-weight="600" fill="var(--ink)">${title}</text>${panels.join("")}</svg>\n`
  );
}

/** Leaves have a lane each, depth first, and what they continue lies half way between its first and its last branch. */
function barsOf(forest: PrefixForest): Bar[] {
  const passing = new Int32Array(forest.parents.length);
  for (const end of forest.ends)
    for (let segment = end; segment >= 0; segment = forest.parents[segment] as number)
      passing[segment] = (passing[segment] as number) + 1;
  const lanes: number[] = [];
  let next = 0;
  const place = (segment: number): number => {
    const branches = [...forest.parents.keys()].filter((each) => forest.parents[each] === segment).map(place);
    return (lanes[segment] =
      branches.length === 0 ? next++ : ((branches[0] as number) + (branches.at(-1) as number)) / 2);
  };
  forest.parents.forEach((parent, segment) => parent < 0 && place(segment));
  return lanes.map((own, segment) => {
    const [start, end] = [forest.offsets[segment] as number, forest.offsets[segment + 1] as number];
    const parent = forest.parents[segment] as number;
    return {
      from: forest.positions[start] as number,
      tokens: end - start,
      lane: own,
      after: parent < 0 ? null : (lanes[parent] as number),
      sequences: passing[segment] as number,
    };
  });
}

function drawn(each: Bar, left: number, scale: number): string {
  const [x, y] = [left + each.from * scale, head + each.lane * lane];
  const size = Math.max(2, each.tokens * scale - 2);
  const colour = each.sequences > 1 ? "var(--c1)" : "var(--c3)";
  const joint =
    each.after === null
      ? ""
      : `<path d="M${px(x - 2)} ${px(head + each.after * lane + bar / 2)}V${px(y + bar / 2)}" stroke="var(--soft)"/>`;
  const label =
    size < 24
      ? ""
      : `<text x="${px(x + size / 2)}" y="${px(y + 13)}" text-anchor="middle" fill="var(--panel)">${each.tokens}</text>`;
  return `${joint}<rect x="${px(x)}" y="${px(y)}" width="${px(size)}" height="${bar}" rx="3" fill="${colour}"/>${label}`;
}

function px(value: number): string {
  return String(Math.round(10 * value) / 10);
}
