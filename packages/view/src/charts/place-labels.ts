export interface Box {
  readonly left: number;
  readonly top: number;
  readonly right: number;
  readonly bottom: number;
}

/** Label size and its point. */
export interface Wanted {
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
}

/** `leader`: draw a line to its point, because it is far away or closer to another. */
export interface Placed {
  readonly x: number;
  readonly y: number;
  readonly leader: boolean;
}

function overlap(a: Box, b: Box): boolean {
  return a.left < b.right && b.left < a.right && a.top < b.bottom && b.top < a.bottom;
}

const directions = [
  [1, 0],
  [-1, 0],
  [0, -1],
  [0, 1],
  [1, -1],
  [1, 1],
  [-1, -1],
  [-1, 1],
] as const;
/** Distance from point to label. */
const distances = [9, 18, 30, 46, 66, 90] as const;

/**
 * Places each label as near to its point as possible, off obstacles, earlier labels and the edge. Null if no position
 * is free: the legend must name it.
 */
export function placeLabels(
  wanted: readonly Wanted[],
  obstacles: readonly Box[],
  bounds: Box,
): readonly (Placed | null)[] {
  const taken = [...obstacles];
  return wanted.map((label) => {
    for (const distance of distances)
      for (const [right, down] of directions) {
        const x = label.x + right * (distance + label.width / 2);
        const y = label.y + down * (distance + label.height / 2);
        const box = boxAround(x, y, label.width, label.height);
        if (!inside(box, bounds) || taken.some((other) => overlap(box, other))) continue;
        taken.push(box);
        const own = distanceTo(box, label);
        const nearer = wanted.some((other) => other !== label && distanceTo(box, other) < own);
        return { x, y, leader: nearer || distance > distances[0] };
      }
    return null;
  });
}

function distanceTo({ left, right, top, bottom }: Box, { x, y }: Pick<Wanted, "x" | "y">): number {
  return Math.hypot(Math.max(left - x, x - right, 0), Math.max(top - y, y - bottom, 0));
}

export function boxAround(x: number, y: number, width: number, height: number): Box {
  return { left: x - width / 2, right: x + width / 2, top: y - height / 2, bottom: y + height / 2 };
}

/** Small boxes along a curve, as obstacles. */
export function boxesAlong(points: readonly (readonly [x: number, y: number])[], room = 3): Box[] {
  return points.flatMap(([x, y], i) => {
    const [fromX, fromY] = points[i - 1] ?? [x, y];
    const pieces = Math.max(1, Math.ceil(Math.hypot(x - fromX, y - fromY) / 6));
    return Array.from({ length: pieces }, (_, k) => {
      const share = (k + 1) / pieces;
      return boxAround(fromX + share * (x - fromX), fromY + share * (y - fromY), 2 * room, 2 * room);
    });
  });
}

function inside(box: Box, bounds: Box): boolean {
  return box.left >= bounds.left && box.right <= bounds.right && box.top >= bounds.top && box.bottom <= bounds.bottom;
}
