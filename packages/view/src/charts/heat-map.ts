import { escapeHtml, formatNumber, formatPercent } from "@laconic/core/text";
import type { FamilyTable } from "@laconic/trainer/reading";

/** Most of a cell that colour covers: text stays readable in light and dark. */
const deepest = 45;

/** A table whose cells are the deeper in colour the larger their share is, from 0 to 1. All texts are escaped here. */
export function renderHeatMap({ columns, rows }: FamilyTable, id: string): string {
  const measures = [...new Set(columns.map(({ measure }) => measure))];
  const spans = measures.map(
    (measure) =>
      `<th scope="colgroup" colspan="${columns.filter((each) => each.measure === measure).length}">${escapeHtml(measure)}</th>`,
  );
  const heads = columns.map(({ at }) => `<th scope="col">${escapeHtml(at)}</th>`).join("");
  const body = rows
    .map(({ family, isTrained, problems, shares }) => {
      const cells = shares.map((share) =>
        share === null ? "<td>–</td>" : `<td style="background:${heat(share)}">${formatPercent(share, 0)}</td>`,
      );
      return `<tr><th scope="row" style="white-space:nowrap">${escapeHtml(family)}</th><td class="words">${isTrained ? "trained" : "held back"}</td><td>${formatNumber(problems)}</td>${cells.join("")}</tr>`;
    })
    .join("");
  return `<section aria-labelledby="${id}"><h2 id="${id}">By family</h2><p class="lead">Validation problems by what is new in them: names by their tokens, stories, texts of those who know nothing, numbers of speakers. A deeper colour is a larger share.</p><div class="scroll" role="region" aria-labelledby="${id}" tabindex="0"><table><thead><tr><th scope="col" rowspan="2">Family</th><th scope="col" rowspan="2">In training</th><th scope="col" rowspan="2">Problems</th>${spans.join("")}</tr><tr>${heads}</tr></thead><tbody>${body}</tbody></table></div></section>`;
}

function heat(share: number): string {
  return `color-mix(in srgb,var(--accent) ${Math.round(deepest * share)}%,transparent)`;
}
