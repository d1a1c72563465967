import { counted } from "@laconic/core/text";
import { useMemo } from "preact/hooks";
import type { RunSummary } from "../../../src/protocol.ts";
import { Table } from "../../parts/elements.tsx";
import { SafeLine } from "../../parts/text.tsx";
import { Check, SearchField } from "../fields.tsx";
import { useQuery } from "../navigation.ts";
import { settingRows, type SettingRow } from "./runs.ts";

export function Settings({ runs }: { runs: readonly RunSummary[] }) {
  const rows = useMemo(() => settingRows(runs), [runs]);
  const differing = rows.filter(({ isSame }) => !isSame);
  const text = useQuery("setting").toLowerCase();
  const isWhole = useQuery("same") === "1" || runs.length === 1;
  const shown = (isWhole ? rows : differing).filter(
    ({ key, values }) => text === "" || [key, ...values].join(" ").toLowerCase().includes(text),
  );
  const valueIn =
    (run: number) =>
    ({ values }: SettingRow) =>
      values[run] === undefined ? <span class="soft">not set</span> : <SafeLine text={String(values[run])} max={300} />;
  return (
    <section aria-label="Settings">
      <div class="toolbar">
        <SearchField label="Search" query="setting" />
        {runs.length > 1 && (
          <Check label={`Show ${counted(rows.length - differing.length, "equal setting")}`} query="same" />
        )}
      </div>
      {runs.length > 1 && differing.length === 0 && <p>These runs have the same settings.</p>}
      <Table
        label="Table of settings"
        kind="settings"
        columns={[
          ["Setting", ({ key }) => <SafeLine text={key} max={120} />, "name mono"],
          ...runs.map(({ name }, run) => [runs.length > 1 ? name : "Value", valueIn(run), "mono"] as const),
        ]}
        rows={shown}
        rowClass={({ isSame }) => (isSame || runs.length === 1 ? "" : "differs")}
      />
      {shown.length === 0 && text !== "" && <p class="soft">No setting matches.</p>}
    </section>
  );
}
