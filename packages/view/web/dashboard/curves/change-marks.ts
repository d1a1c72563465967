import type uPlot from "uplot";
import type { ChangesOfStep } from "../../../src/protocol.ts";
import { visibleLine } from "../../parts/safe-text.ts";

/** How near a pointer has to be, in pixels. */
const near = 8;

/** A dashed line at each step from which other settings held, with words where there is room up to the next. */
export function drawChanges(plot: uPlot, changes: readonly ChangesOfStep[], color: string): void {
  if (changes.length === 0) return;
  const { ctx, bbox } = plot;
  const ratio = globalThis.devicePixelRatio || 1;
  const places = changes.map(({ step }) => plot.valToPos(step, "x", true));
  ctx.save();
  ctx.beginPath();
  ctx.rect(bbox.left, bbox.top, bbox.width, bbox.height);
  ctx.clip();
  [ctx.strokeStyle, ctx.fillStyle, ctx.lineWidth] = [color, color, ratio];
  ctx.setLineDash([2 * ratio, 3 * ratio]);
  ctx.font = `${11 * ratio}px system-ui, sans-serif`;
  [ctx.textAlign, ctx.textBaseline] = ["left", "top"];
  for (const [i, { text }] of changes.entries()) {
    const x = places[i] as number;
    ctx.beginPath();
    ctx.moveTo(x, bbox.top);
    ctx.lineTo(x, bbox.top + bbox.height);
    ctx.stroke();
    const words = visibleLine(text, 60);
    const room = Math.min(places[i + 1] ?? Infinity, bbox.left + bbox.width) - x;
    if (ctx.measureText(words).width + 8 * ratio < room) ctx.fillText(words, x + 4 * ratio, bbox.top + 2 * ratio);
  }
  ctx.restore();
}

/** The change whose line a pointer is at; null beside all of them. */
export function changeNear(plot: uPlot, changes: readonly ChangesOfStep[], left: number): ChangesOfStep | null {
  const away = ({ step }: ChangesOfStep): number => Math.abs(plot.valToPos(step, "x") - left);
  const nearest = changes.toSorted((a, b) => away(a) - away(b))[0];
  return nearest && away(nearest) <= near ? nearest : null;
}
