import type { FamilyTable } from "@laconic/trainer/reading";
import { formatNumber, formatPercent } from "@laconic/core/text";
import { visibleLine } from "../../parts/safe-text.ts";

/** Most of a cell that colour covers: text stays readable in light and dark. */
const deepest = 45;

/** Accuracy and counted shares of each family of validation problems, as a heat map. */
export function Families({ table: { columns, rows } }: { readonly table: FamilyTable }) {
  const measures = [...new Set(columns.map(({ measure }) => measure))];
  return (
    <div class="scroll" tabIndex={0} role="region" aria-label="By family">
      <h2>By family</h2>
      <p class="small">
        Validation problems by what is new in them. A deeper colour is a larger share; trained families have nothing
        that is held back.
      </p>
      <table>
        <thead>
          <tr>
            <th scope="col" rowSpan={2}>
              Family
            </th>
            <th scope="col" rowSpan={2}>
              In training
            </th>
            <th scope="col" rowSpan={2}>
              Problems
            </th>
            {measures.map((measure) => (
              <th key={measure} scope="colgroup" colSpan={columns.filter((each) => each.measure === measure).length}>
                {visibleLine(measure, 40)}
              </th>
            ))}
          </tr>
          <tr>
            {columns.map(({ measure, at }) => (
              <th key={`${measure} ${at}`} scope="col">
                {visibleLine(at, 20)}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map(({ family, isTrained, problems, shares }) => (
            <tr key={family}>
              <th scope="row" style={{ whiteSpace: "nowrap" }}>
                {visibleLine(family, 60)}
              </th>
              <td>{isTrained ? "trained" : "held back"}</td>
              <td class="number">{formatNumber(problems)}</td>
              {shares.map((share, i) => (
                <td key={i} class="number" style={share === null ? {} : { background: heat(share) }}>
                  {formatPercent(share, 0)}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

function heat(share: number): string {
  return `color-mix(in srgb, var(--accent) ${Math.round(deepest * share)}%, transparent)`;
}
