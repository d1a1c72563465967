import { useState, useEffect } from "preact/hooks";
import type { BenchTable, SampleQuery, SampleRow } from "../../../src/protocol.ts";
import { counted, formatNumber } from "@laconic/core/text";
import { visibleLine } from "../../parts/safe-text.ts";
import { SafeLine } from "../../parts/text.tsx";
import { Rows, usePagedList } from "../list/rows.tsx";
import { NothingFits, searchOf } from "../list/search.tsx";
import { linkTo, setQuery, useRoute } from "../navigation.ts";
import { Empty, When } from "../parts.tsx";
import { one } from "../route.ts";
import { SearchField } from "../search-field.tsx";
import { useLoaded } from "../server.ts";
import { useTitle } from "../title.ts";
import { SampleLine } from "./sample-line.tsx";
import { SampleView } from "./sample-view.tsx";

/** Fields of the query that stand in the address by their own names. */
const queryFields = [
  "text",
  "method",
  "against",
  "benchmark",
  "verdict",
  "sort",
] as const satisfies readonly (keyof SampleQuery)[];

/** Every sample of a bench: a list to search, and the chosen one beside it. */
export function SamplesPage() {
  const route = useRoute();
  const [, id = ""] = route.path;
  const loaded = useLoaded<readonly BenchTable[]>("/benches");
  const bench = loaded.value?.find((each) => each.id === id);
  useTitle(bench?.name ?? "Samples");
  return (
    <main id="main" tabIndex={-1}>
      <When loaded={loaded}>
        {() =>
          bench === undefined ? (
            <Empty title="No such bench">
              <p>
                It may not have begun yet, have been moved or deleted, or the page was opened on another folder.{" "}
                <a href={linkTo(["benches"])}>All benches</a>
              </p>
            </Empty>
          ) : (
            <Samples bench={bench} />
          )
        }
      </When>
    </main>
  );
}

function Samples({ bench }: { readonly bench: BenchTable }) {
  const route = useRoute();
  const search = searchOf(route, queryFields);
  const list = usePagedList<SampleRow>(`/benches/${encodeURIComponent(bench.id)}/samples`, search);
  const total = list.value?.total ?? null;
  const chosen = one(route, "sample");
  const [seen, setSeen] = useState(bench.samples);
  // What is looked for anew has all that there is.
  useEffect(() => setSeen(bench.samples), [search]);
  const choose = (key: string): void => setQuery({ sample: key });
  return (
    <>
      <div class="heading">
        <h1>
          <SafeLine text={bench.name} />
        </h1>
        <p class="soft">{counted(bench.samples, "sample")}</p>
      </div>
      <section class={`episodes samples ${chosen === "" ? "" : "has-chosen"}`} aria-label="Samples">
        <div class="finder">
          <SampleFilters bench={bench} />
          <div class="status small" role="status">
            {total === null ? list.error === null && "Searching …" : counted(total, "sample")}
            {bench.samples > seen && (
              <button
                type="button"
                class="button small"
                onClick={() => {
                  setSeen(bench.samples);
                  list.again();
                }}
              >
                Show {formatNumber(bench.samples - seen)} new
              </button>
            )}
          </div>
          {total === 0 ? (
            <NothingFits title="No sample fits" fields={queryFields} />
          ) : (
            <Rows list={list} chosen={chosen} label="Samples" choose={choose}>
              {(row) => <SampleLine row={row} />}
            </Rows>
          )}
        </div>
        {chosen !== "" && <SampleView bench={bench.id} sample={chosen} />}
      </section>
    </>
  );
}

/** What samples are searched by; the address has all of it. */
function SampleFilters({ bench }: { readonly bench: BenchTable }) {
  const { methods, benchmarks } = bench;
  return (
    <form class="filters" role="search" onSubmit={(event) => event.preventDefault()}>
      <SearchField label="Search" query="text" placeholder="words of questions and answers" wide />
      <Choice label="Method" query="method" any="all" names={methods} />
      <Choice label="Disagrees with" query="against" any="nobody" names={methods} />
      {benchmarks.length > 1 && <Choice label="Benchmark" query="benchmark" any="all" names={benchmarks} />}
      <Choice label="Verdict" query="verdict" any="all" names={["right", "wrong", "failed", "undecided"]} />
      <Choice label="Order" query="sort" any="by question" names={["newest", "tokens", "cost", "time"]} />
    </form>
  );
}

interface ChoiceProps {
  readonly label: string;
  /** What of the address holds it. */
  readonly query: keyof SampleQuery;
  /** What the first one is called, which asks for nothing. */
  readonly any: string;
  readonly names: readonly string[];
}

function Choice({ label, query, any, names }: ChoiceProps) {
  const route = useRoute();
  return (
    <label>
      <span>{label}</span>
      <select
        class="select"
        value={one(route, query)}
        onChange={(event) => setQuery({ [query]: event.currentTarget.value, page: "" })}
      >
        <option value="">{any}</option>
        {names.map((name) => (
          <option key={name} value={name}>
            {visibleLine(name, 40)}
          </option>
        ))}
      </select>
    </label>
  );
}
