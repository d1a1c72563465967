import type { CostSums, EdgeCost } from "@laconic/core/ledger";
import { formatNumber } from "@laconic/core/text";
import { along, type EdgePath, type GraphLayout, type Point } from "./graph-layout.ts";
import { visibleLine } from "./safe-text.ts";

export interface GraphNote {
  readonly text: string;
  readonly kind: "private" | "read" | "wrote" | "plain";
}

export interface PriceWords {
  readonly format: (cost: number) => string;
  readonly exact: (cost: number) => string;
  readonly unit: string;
}

export const inReward: PriceWords = {
  format: (cost) => formatNumber(Number(cost.toPrecision(2))),
  exact: formatNumber,
  unit: "in reward",
};

const maxCharacters = 26;

export function clipped(text: string): string {
  return text.length > maxCharacters ? `${text.slice(0, maxCharacters - 1)}…` : text;
}

/** Pixels, and max letter width in units of it; East Asian letters and emoji are square. */
const [nameSize, widestBold] = [15, 0.7];
const wideLetter = /[\u1100-\u115F\u2E80-\uA4CF\uAC00-\uD7A3\uF900-\uFAFF\uFF01-\uFF60\u{1F000}-\u{3FFFF}]/u;

export function shownName(agent: string, room: number): string {
  const letters = Array.from(visibleLine(agent, maxCharacters));
  let left = room;
  const end = letters.findIndex((letter) => (left -= nameSize * (wideLetter.test(letter) ? 1 : widestBold)) < 0);
  return end === -1 ? letters.join("") : `${letters.slice(0, Math.max(1, end - 1)).join("")}…`;
}

export function spokenName(agent: string): string {
  return visibleLine(agent, 80);
}

export function rounded(tokens: number): string {
  return formatNumber(tokens < 9.95 ? Number(tokens.toFixed(1)) : Math.round(tokens));
}

/** Noun for a number formatted by {@link rounded}. */
export function tokenWord(shown: string): "token" | "tokens" {
  return shown === "1" ? "token" : "tokens";
}

export function costWords(costs: CostSums, { exact, unit }: PriceWords): string {
  const onLines = costs.edges.reduce((sum, { cost }) => sum + cost, 0);
  const start = `Lines show tokens read${onLines > 0 ? ` and their cost, ${unit}` : ""}.`;
  if (!(costs.total > 0)) return `${start} Tokens have no price.`;
  const parts: readonly (readonly [cost: number, what: string])[] = [
    [onLines, "on lines"],
    [costs.end, "for end tokens"],
    [costs.unread, "for turns without a reader"],
    ...Object.entries(costs.rest).map(([name, cost]) => [cost, `for ${visibleLine(name, 40)}`] as const),
  ];
  const charged = parts.flatMap(([cost, what]) => (cost > 0 ? [`${exact(cost)} ${what}`] : []));
  return `${start} Cost${onLines > 0 ? "" : `, ${unit}`}: ${exact(costs.total)} = ${charged.join(" + ")}.`;
}

/** Centre and size. */
export interface Box extends Point {
  readonly width: number;
  readonly height: number;
}

/** Middle first. */
const shares = [0.5, 0.42, 0.58, 0.34, 0.66, 0.26, 0.74, 0.18, 0.82, 0.1];

const gap = 3;

function textWidth(text: string, size: number): number {
  return text.length * size * 0.58;
}

/**
 * Places labels on their edges without overlaps, inside the picture. Prefers one position for all edges, else any free
 * position.
 * @returns label centres; null without room
 */
function placeLabels(
  layout: GraphLayout,
  edges: readonly LabelledEdge[],
  taken: readonly Box[],
): readonly (Point | null)[] {
  const placedAt = (tried: readonly number[]): readonly (Point | null)[] => {
    const used = [...taken];
    return edges.map(({ path, width, height }) => {
      const boxes = tried.map((share) => ({ ...along(path, share), width, height }));
      const box = boxes.find((item) => isWithin(item, layout) && used.every((other) => !overlaps(item, other)));
      if (box) used.push(box);
      return box ?? null;
    });
  };
  const even = shares.map((share) => placedAt([share]));
  return even.find((places) => !places.includes(null)) ?? placedAt(shares);
}

interface LabelledEdge {
  readonly path: EdgePath;
  readonly width: number;
  readonly height: number;
}

function isWithin({ x, y, width, height }: Box, picture: GraphLayout): boolean {
  return (
    Math.abs(2 * x - picture.width) <= picture.width - width &&
    Math.abs(2 * y - picture.height) <= picture.height - height
  );
}

function overlaps(a: Box, b: Box): boolean {
  return (
    2 * Math.abs(a.x - b.x) < a.width + b.width + 2 * gap && 2 * Math.abs(a.y - b.y) < a.height + b.height + 2 * gap
  );
}

export interface PlacedLabel {
  readonly key: string;
  readonly tokens: string;
  readonly price: string | null;
  readonly box: Box;
}

/** Line height of labels in pixels. */
export const lineHeight = 15;

interface Labelled {
  readonly agents: readonly string[];
  readonly notes: Readonly<Record<string, GraphNote>>;
  readonly prices: PriceWords;
}

/** Words if all fit, else numbers; labels without room are dropped. */
export function labelsOf(
  { agents, notes, prices }: Labelled,
  layout: GraphLayout,
  drawn: readonly { readonly edge: EdgeCost; readonly path: EdgePath }[],
): { readonly labels: readonly PlacedLabel[]; readonly unlabelled: number } {
  const taken = agents.flatMap((agent) => boxesOf(agent, layout, notes[agent]));
  const placed = (isLong: boolean): readonly PlacedLabel[] => {
    const labels = drawn.map(({ edge, path }) => ({ ...labelOf(edge, prices, isLong), path }));
    const sized = labels.map((label) => ({ ...label, ...sizeOf(label) }));
    return placeLabels(layout, sized, taken).flatMap((point, i) => {
      const { key, tokens, price, width, height } = sized[i]!;
      return point ? [{ key, tokens, price, box: { ...point, width, height } }] : [];
    });
  };
  const long = placed(true);
  const labels = long.length === drawn.length ? long : placed(false);
  return { labels, unlabelled: drawn.length - labels.length };
}

type Words = Omit<PlacedLabel, "box">;

function labelOf({ from, to, tokens, cost: charged }: EdgeCost, { format }: PriceWords, isLong: boolean): Words {
  const key = `${from} ${to}`;
  const [count, cost] = [rounded(tokens), charged > 0 ? format(charged) : null];
  if (tokens === 0) return { key, tokens: isLong ? "nothing" : "0", price: null };
  if (!isLong) return { key, tokens: count, price: cost };
  return { key, tokens: `${count} ${tokenWord(count)}`, price: cost && `costs ${cost}` };
}

function sizeOf({ tokens, price }: Words): { readonly width: number; readonly height: number } {
  const longest = price !== null && price.length > tokens.length ? price : tokens;
  return { width: textWidth(longest, 12.5) + 12, height: (price === null ? 1 : 2) * lineHeight + 6 };
}

export function nameAt({ radius, below }: GraphLayout, agent: string, note: GraphNote | undefined): number {
  return agent === below ? radius + 22 : -radius - (note ? 29 : 12);
}

/** Width available to a name in pixels. */
export function nameRoom({ places, width, below, apart }: GraphLayout, agent: string): number {
  const { x = 0 } = places[agent] ?? {};
  return Math.min(2 * x, 2 * (width - x), agent === below ? Infinity : apart - 2 * gap);
}

function boxesOf(agent: string, layout: GraphLayout, note: GraphNote | undefined): Box[] {
  const point = layout.places[agent];
  if (!point) return [];
  const name = point.y + nameAt(layout, agent, note);
  const around = 2 * layout.radius + 6;
  return [
    { ...point, width: around, height: around },
    { x: point.x, y: name - 5, width: textWidth(shownName(agent, nameRoom(layout, agent)), 15), height: 18 },
    ...(note ? [{ x: point.x, y: name + 13, width: textWidth(clipped(note.text), 13.5), height: 17 }] : []),
  ];
}
