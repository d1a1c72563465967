import { useMemo } from "preact/hooks";
import type { RunSummary } from "../../../src/protocol.ts";
import { counted } from "@laconic/core/text";
import { visibleLine } from "../../parts/safe-text.ts";
import { SafeLine } from "../../parts/text.tsx";
import { setQuery, useRoute } from "../navigation.ts";
import { one } from "../route.ts";
import { SearchField } from "../search-field.tsx";
import { settingRows } from "./differences.ts";

/** Configurations side by side; of several runs first what differs. */
export function Settings({ runs }: { readonly runs: readonly RunSummary[] }) {
  const route = useRoute();
  const rows = useMemo(() => settingRows(runs), [runs]);
  const differing = rows.filter(({ isSame }) => !isSame);
  const text = one(route, "setting").toLowerCase();
  const isWhole = runs.length === 1 || one(route, "same") === "1";
  const shown = (isWhole ? rows : differing).filter(
    ({ key, values }) => text === "" || [key, ...values].join(" ").toLowerCase().includes(text),
  );
  return (
    <section aria-label="Settings">
      <div class="toolbar">
        <SearchField label="Search" query="setting" />
        {runs.length > 1 && (
          <label class="check">
            <input
              type="checkbox"
              checked={isWhole}
              onChange={(event) => setQuery({ same: event.currentTarget.checked ? "1" : "" })}
            />
            <span>Show the {counted(rows.length - differing.length, "setting")} that are the same too</span>
          </label>
        )}
      </div>
      {runs.length > 1 && differing.length === 0 && <p>These runs have the same settings.</p>}
      <div class="scroll" tabIndex={0} role="region" aria-label="Table of settings">
        <table class="settings stacked">
          <thead>
            <tr>
              <th scope="col">Setting</th>
              {runs.map((run) => (
                <th key={run.id} scope="col">
                  <SafeLine text={run.name} max={40} />
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {shown.map(({ key, values, isSame }) => (
              <tr key={key} class={isSame || runs.length === 1 ? "" : "differs"}>
                <th scope="row" class="mono">
                  <SafeLine text={key} max={120} />
                </th>
                {values.map((value, i) => (
                  <td
                    key={runs[i]?.id}
                    class="mono"
                    {...(runs.length > 1 && { "data-label": visibleLine(runs[i]?.name ?? "", 40) })}
                  >
                    {value === undefined ? (
                      <span class="soft">not set</span>
                    ) : (
                      <SafeLine text={String(value)} max={300} />
                    )}
                  </td>
                ))}
              </tr>
            ))}
          </tbody>
        </table>
      </div>
      {shown.length === 0 && text !== "" && <p class="soft">No setting has these words.</p>}
    </section>
  );
}
