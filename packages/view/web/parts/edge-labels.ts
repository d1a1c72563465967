import type { EdgeCost } from "@laconic/core/ledger";
import { along, type EdgePath, type GraphLayout, type Point } from "./graph-layout.ts";
import { clipped, rounded, shownName, tokenWord, type GraphNote, type PriceWords } from "./graph-words.ts";

/** A part of the picture that is taken, by its middle and its size. */
export interface Box extends Point {
  readonly width: number;
  readonly height: number;
}

/** Where on its edge a label is tried, the middle first. */
const shares = [0.5, 0.42, 0.58, 0.34, 0.66, 0.26, 0.74, 0.18, 0.82, 0.1];

/** Between labels, in pixels. */
const gap = 3;

/** Of a character's size, what the fonts of the page take of it across, a mean over words and numbers. */
const widest = 0.58;

/** Pixels that a text of this size takes at most. */
function textWidth(text: string, size: number): number {
  return text.length * size * widest;
}

/**
 * Places labels on their edges, so that none covers another, a taken part, or leaves the picture: all at the same share of
 * their edges where that is possible, else each where it finds room.
 * @returns the middle of each; null for those that have no room
 */
function placeLabels(
  layout: GraphLayout,
  edges: readonly LabelledEdge[],
  taken: readonly Box[],
): readonly (Point | null)[] {
  const even = shares.map((share) => placedAt([share], layout, edges, taken));
  return even.find((places) => !places.includes(null)) ?? placedAt(shares, layout, edges, taken);
}

interface LabelledEdge {
  readonly path: EdgePath;
  readonly width: number;
  readonly height: number;
}

function placedAt(
  tried: readonly number[],
  layout: GraphLayout,
  edges: readonly LabelledEdge[],
  taken: readonly Box[],
): readonly (Point | null)[] {
  const used = [...taken];
  return edges.map(({ path, width, height }) => {
    const boxes = tried.map((share) => ({ ...along(path, share), width, height }));
    const box = boxes.find((each) => isWithin(each, layout) && used.every((other) => !overlaps(each, other)));
    if (box) used.push(box);
    return box ? { x: box.x, y: box.y } : null;
  });
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

/** What stands on a line: what it carries, and under it what that costs. */
export interface PlacedLabel {
  readonly key: string;
  readonly tokens: string;
  readonly price: string | null;
  /** Its middle and its size. */
  readonly box: Box;
}

/** Pixels from a line of a label to the next. */
export const lineHeight = 15;

const labelSize = 12.5;

interface Labelled {
  readonly agents: readonly string[];
  readonly notes: Readonly<Record<string, GraphNote>>;
  readonly prices: PriceWords;
}

/** The labels of all edges: in words where all of them have room, else as numbers, and without those that have no room then. */
export function labelsOf(
  { agents, notes, prices }: Labelled,
  layout: GraphLayout,
  drawn: readonly { readonly edge: EdgeCost; readonly path: EdgePath }[],
): { readonly labels: readonly PlacedLabel[]; readonly unlabelled: number } {
  const taken = agents.flatMap((agent) => boxesOf(agent, layout, notes[agent]));
  const placed = (isLong: boolean): readonly PlacedLabel[] => {
    const labels = drawn.map(({ edge, path }) => ({ ...labelOf(edge, prices, isLong), path }));
    const sized = labels.map((label) => ({ ...label, ...sizeOf(label) }));
    return placeLabels(layout, sized, taken).flatMap((at, i) => {
      const { key, tokens, price, width, height } = sized[i] as (typeof sized)[number];
      return at ? [{ key, tokens, price, box: { ...at, width, height } }] : [];
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
  return { width: textWidth(longest, labelSize) + 12, height: (price === null ? 1 : 2) * lineHeight + 6 };
}

/** Where the name of an agent stands, from its middle. */
export function nameAt({ radius, below }: GraphLayout, agent: string, note: GraphNote | undefined): number {
  return agent === below ? radius + 22 : -radius - (note ? 29 : 12);
}

/** Pixels that a name has across: up to the next one, and within the picture. */
export function nameRoom({ places, width, below, apart }: GraphLayout, agent: string): number {
  const { x = 0 } = places[agent] ?? {};
  return Math.min(2 * x, 2 * (width - x), agent === below ? Infinity : apart - 2 * gap);
}

/** What an agent covers: its circle, its name, its note. */
function boxesOf(agent: string, layout: GraphLayout, note: GraphNote | undefined): Box[] {
  const place = layout.places[agent];
  if (!place) return [];
  const name = place.y + nameAt(layout, agent, note);
  const around = 2 * layout.radius + 6;
  return [
    { ...place, width: around, height: around },
    { x: place.x, y: name - 5, width: textWidth(shownName(agent, nameRoom(layout, agent)), 15), height: 18 },
    ...(note ? [{ x: place.x, y: name + 13, width: textWidth(clipped(note.text), 13.5), height: 17 }] : []),
  ];
}
