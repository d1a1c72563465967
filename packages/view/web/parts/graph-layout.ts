export interface Point {
  readonly x: number;
  readonly y: number;
}

export interface GraphLayout {
  readonly width: number;
  readonly height: number;
  readonly radius: number;
  /** Agent below all others, with its name underneath; null in a circle. */
  readonly below: string | null;
  /** Infinity in a circle. */
  readonly apart: number;
  readonly places: Readonly<Record<string, Point>>;
}

/** Ends at the rims of both nodes. */
export interface EdgePath {
  readonly from: Point;
  readonly to: Point;
  readonly control: Point;
  readonly path: string;
}

interface Link {
  readonly from: string;
  readonly to: string;
}

/**
 * The only reader is below all others, other teams in a circle.
 * @param room - pixels; units are larger only if agents lack room
 */
export function layoutOf(
  agents: readonly string[],
  links: readonly Link[],
  answerer: string | undefined,
  room: number,
): GraphLayout {
  const tellers = agents.filter((agent) => agent !== answerer);
  const isStar =
    answerer !== undefined && tellers.length > 0 && tellers.length <= 5 && links.every(({ to }) => to === answerer);
  return isStar ? star(tellers, answerer, room) : circle(agents, room);
}

/** Curve to the right, to separate opposite edges. */
export function edgePath({ places, radius }: GraphLayout, { from, to }: Link, bend: number): EdgePath | null {
  const [start, end] = [places[from], places[to]];
  if (!start || !end || from === to) return null;
  const [dx, dy] = [end.x - start.x, end.y - start.y];
  const length = Math.hypot(dx, dy);
  const control = {
    x: (start.x + end.x) / 2 - (dy / length) * bend,
    y: (start.y + end.y) / 2 + (dx / length) * bend,
  };
  const a = towards(start, control, radius + 7);
  const b = towards(end, control, radius + 17);
  return {
    from: a,
    to: b,
    control,
    path: `M${a.x.toFixed(1)} ${a.y.toFixed(1)}Q${control.x.toFixed(1)} ${control.y.toFixed(1)} ${b.x.toFixed(1)} ${b.y.toFixed(1)}`,
  };
}

/** Point on an edge, from 0 (start) to 1 (arrow). */
export function along({ from, control, to }: EdgePath, share: number): Point {
  const rest = 1 - share;
  const [a, b, c] = [rest * rest, 2 * rest * share, share * share];
  return { x: a * from.x + b * control.x + c * to.x, y: a * from.y + b * control.y + c * to.y };
}

function star(tellers: readonly string[], answerer: string, room: number): GraphLayout {
  const width = Math.min(Math.max(room, 98 * tellers.length, 240), 190 * Math.max(2, tellers.length));
  const step = width / tellers.length;
  const places = tellers.map((agent, i) => [agent, { x: step * (i + 0.5), y: 76 }] as const);
  return {
    width,
    height: 368,
    radius: 30,
    below: answerer,
    apart: step,
    places: { ...Object.fromEntries(places), [answerer]: { x: width / 2, y: 290 } },
  };
}

function circle(agents: readonly string[], room: number): GraphLayout {
  const reach = 106 + 12 * agents.length;
  const width = Math.min(2 * reach + 168, Math.max(room, 280));
  const height = 2 * reach + 138;
  const places = agents.map((agent, i) => {
    const angle = (2 * Math.PI * i) / agents.length - Math.PI / 2;
    const [across, down] = agents.length === 1 ? [0, 0] : [Math.min(reach, width / 2 - 46), reach];
    return [agent, { x: width / 2 + across * Math.cos(angle), y: height / 2 + 8 + down * Math.sin(angle) }] as const;
  });
  return { width, height, radius: 31, below: null, apart: Infinity, places: Object.fromEntries(places) };
}

function towards({ x, y }: Point, goal: Point, reach: number): Point {
  const length = Math.hypot(goal.x - x, goal.y - y) || 1;
  return { x: x + ((goal.x - x) / length) * reach, y: y + ((goal.y - y) / length) * reach };
}
