/** A place in the picture, in its own units. */
export interface Point {
  readonly x: number;
  readonly y: number;
}

/** Where everything is drawn. */
export interface GraphLayout {
  readonly width: number;
  readonly height: number;
  readonly radius: number;
  readonly places: Readonly<Record<string, Point>>;
}

/** An edge from the rim of a node to the rim of another. */
export interface EdgePath {
  readonly from: Point;
  readonly to: Point;
  readonly middle: Point;
  /** For the attribute `d`. */
  readonly path: string;
}

interface Link {
  readonly from: string;
  readonly to: string;
}

/** One agent whom all others tell stands below them; any other team stands in a circle. */
export function layoutOf(agents: readonly string[], links: readonly Link[], answerer?: string): GraphLayout {
  const tellers = agents.filter((agent) => agent !== answerer);
  const isStar =
    answerer !== undefined && tellers.length > 0 && tellers.length <= 5 && links.every(({ to }) => to === answerer);
  return isStar ? star(tellers, answerer) : circle(agents);
}

/** A line that bends to the right, so that two that answer each other stay apart. */
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
    middle: { x: (a.x + 2 * control.x + b.x) / 4, y: (a.y + 2 * control.y + b.y) / 4 },
    path: `M${a.x.toFixed(1)} ${a.y.toFixed(1)}Q${control.x.toFixed(1)} ${control.y.toFixed(1)} ${b.x.toFixed(1)} ${b.y.toFixed(1)}`,
  };
}

function star(tellers: readonly string[], answerer: string): GraphLayout {
  const width = Math.max(400, 128 * tellers.length);
  const step = width / tellers.length;
  const places = tellers.map((agent, i) => [agent, { x: step * (i + 0.5), y: 76 }] as const);
  return {
    ...{ width, height: 290, radius: 30 },
    places: { ...Object.fromEntries(places), [answerer]: { x: width / 2, y: 212 } },
  };
}

function circle(agents: readonly string[]): GraphLayout {
  const size = 130 + 12 * agents.length;
  const [width, height] = [2 * size + 120, 2 * size + 90];
  const places = agents.map((agent, i) => {
    const angle = (2 * Math.PI * i) / agents.length - Math.PI / 2;
    const reach = agents.length === 1 ? 0 : size - 24;
    return [agent, { x: width / 2 + reach * Math.cos(angle), y: height / 2 - 6 + reach * Math.sin(angle) }] as const;
  });
  return { width, height, radius: 31, places: Object.fromEntries(places) };
}

function towards({ x, y }: Point, goal: Point, reach: number): Point {
  const length = Math.hypot(goal.x - x, goal.y - y) || 1;
  return { x: x + ((goal.x - x) / length) * reach, y: y + ((goal.y - y) / length) * reach };
}
