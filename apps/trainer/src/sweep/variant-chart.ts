import { scaleLinear } from "d3-scale";
import { formatNumber, formatPercent } from "../cli/format.ts";
import { escapeHtml } from "@laconic/evaluation";
import type { VariantResult } from "./run-variants.ts";

const size = { width: 760, height: 400, left: 60, right: 190, top: 20, bottom: 48 };
const colours = ["#2a6fdb", "#d9622b", "#16996b", "#8a5cd6", "#b98a00", "#c23b6b", "#4a8fa8"];

/** Where every run ended in the accuracy-token plane, one colour per variant, and where all of them started. */
export function variantChart(results: readonly VariantResult[]): string {
  const ends = [...results.map(({ after }) => after), ...results.map(({ before }) => before)];
  const x = scaleLinear(
    [0, Math.max(1, ...ends.map(({ tokens }) => tokens)) * 1.05],
    [size.left, size.width - size.right],
  ).nice();
  const lowest = Math.min(...ends.map(({ accuracy }) => accuracy));
  const y = scaleLinear([Math.max(0, Math.floor(lowest * 10) / 10 - 0.05), 1], [size.height - size.bottom, size.top]);
  const names = [...new Set(results.map(({ variant }) => variant))];
  const grid = y
    .ticks(6)
    .map(
      (tick) =>
        `<line x1="${size.left}" x2="${size.width - size.right}" y1="${y(tick).toFixed(1)}" y2="${y(tick).toFixed(1)}" stroke="#ddd"/><text x="${size.left - 8}" y="${(y(tick) + 4).toFixed(1)}" text-anchor="end">${Math.round(tick * 100)} %</text>`,
    )
    .join("");
  const ticks = x
    .ticks(8)
    .map(
      (tick) =>
        `<text x="${x(tick).toFixed(1)}" y="${size.height - size.bottom + 18}" text-anchor="middle">${formatNumber(tick)}</text>`,
    )
    .join("");
  const dots = results
    .flatMap(({ variant, seed, before, after }) => {
      const colour = colours[names.indexOf(variant) % colours.length] as string;
      const dot = ({ tokens, accuracy }: VariantResult["after"], fill: string, title: string): string =>
        `<circle cx="${x(tokens).toFixed(1)}" cy="${y(accuracy).toFixed(1)}" r="6" fill="${fill}" stroke="${colour}" stroke-width="2"><title>${escapeHtml(title)}: ${formatPercent(accuracy)}, ${formatNumber(tokens)} tokens</title></circle>`;
      return [dot(before, "#fff", `start, seed ${seed}`), dot(after, colour, `${variant}, seed ${seed}`)];
    })
    .join("");
  const legend = names
    .map(
      (name, i) =>
        `<circle cx="${size.width - size.right + 20}" cy="${size.top + 12 + 22 * i}" r="5" fill="${colours[i % colours.length]}"/><text x="${size.width - size.right + 32}" y="${size.top + 16 + 22 * i}">${escapeHtml(name)}</text>`,
    )
    .join("");
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${size.width} ${size.height}" font-family="system-ui,sans-serif" font-size="12" fill="#333"><rect width="100%" height="100%" fill="#fff"/>${grid}${ticks}<text x="${size.width - size.right}" y="${size.height - 8}" text-anchor="end">tokens per episode (hollow: before training)</text>${dots}${legend}</svg>\n`;
}
