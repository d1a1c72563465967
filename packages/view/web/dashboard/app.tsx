import type { ComponentChildren } from "preact";
import { useEffect, useRef } from "preact/hooks";
import { useStore } from "../parts/store.ts";
import { ThemeSwitch } from "../parts/theme.tsx";
import { BenchesPage } from "./benches-page.tsx";
import { ComparePage } from "./compare-page.tsx";
import { connection } from "./live.ts";
import { linkTo, useRoute } from "./navigation.ts";
import { all } from "./route.ts";
import { RunPage } from "./run/run-page.tsx";
import { RunsPage } from "./run/runs-page.tsx";
import { SamplesPage } from "./samples/samples-page.tsx";

const pages = { runs: RunsPage, compare: ComparePage, benches: BenchesPage, run: RunPage, bench: SamplesPage };
const listed = [
  ["runs", "Runs"],
  ["compare", "Compare"],
  ["benches", "Benches"],
] as const;

const focusMain = (): void => document.querySelector<HTMLElement>("#main")?.focus({ preventScroll: true });

export function App({ foot }: { foot?: ComponentChildren }) {
  const route = useRoute();
  const [page = "runs", second = ""] = route.path;
  const pageKey = page === "run" || page === "bench" ? `${page}/${second}` : page;
  const shownPlace = useRef(pageKey);
  useEffect(() => {
    // Moves the focus to a new page, but not on the first page.
    if (shownPlace.current !== pageKey) {
      focusMain();
      scrollTo(0, 0);
    }
    shownPlace.current = pageKey;
  }, [pageKey]);
  const sel = all(route, "sel");
  const Page = Object.hasOwn(pages, page) ? pages[page as keyof typeof pages] : RunsPage;
  return (
    <>
      <a class="visually-hidden" href="#main" onClick={(event) => (event.preventDefault(), focusMain())}>
        Skip to content
      </a>
      <header class="line top">
        <a class="brand" href={linkTo(["runs"])}>
          Laconic
        </a>
        <nav aria-label="Pages">
          {listed.map(([name, title]) => (
            <a
              key={name}
              href={linkTo([name], sel.length > 0 && name !== "benches" ? { sel } : {})}
              aria-current={page === name || `${page}es` === name ? "page" : undefined}
            >
              {title}
            </a>
          ))}
        </nav>
        <ConnectionState />
        <ThemeSwitch />
      </header>
      <LostConnection />
      <main id="main" tabIndex={-1}>
        <Page key={pageKey} />
      </main>
      {foot}
    </>
  );
}

function ConnectionState() {
  const state = useStore(connection);
  return (
    <span
      class={`last connection soft small ${state} ${{ live: "good", gone: "bad" }[state as string] ?? ""}`}
      role="status"
    >
      <i class="key dot" aria-hidden="true" /> {state === "gone" ? "not connected" : state}
    </span>
  );
}

function LostConnection() {
  return useStore(connection) !== "gone" ? null : (
    <p class="notice warn gone" role="alert">
      The server does not answer, and the data shown may be old. Start <code>laconic view</code> at this address again:
      the page then reconnects.
    </p>
  );
}
