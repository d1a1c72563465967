import type { ComponentChildren } from "preact";
import { useEffect, useRef } from "preact/hooks";
import { useStore } from "../parts/store.ts";
import { ThemeSwitch } from "../parts/theme-switch.tsx";
import { BenchesPage } from "./benches-page.tsx";
import { SamplesPage } from "./samples/samples-page.tsx";
import { ComparePage } from "./compare-page.tsx";
import { connection } from "./live.ts";
import { linkTo, useRoute } from "./navigation.ts";
import { RunPage } from "./run/run-page.tsx";
import { RunsPage } from "./run/runs-page.tsx";
import { all } from "./route.ts";

const pages = [
  ["runs", "Runs"],
  ["compare", "Compare"],
  ["benches", "Benches"],
] as const;

/** The frame of all pages. */
export function App({ foot }: { readonly foot?: ComponentChildren }) {
  const route = useRoute();
  const [page = "runs", second = ""] = route.path;
  const place = page === "run" || page === "bench" ? `${page}/${second}` : page;
  const was = useRef(place);
  useEffect(() => {
    // Whoever reads with the keyboard is taken along; the first page leaves the focus where it is.
    if (was.current !== place) {
      document.querySelector<HTMLElement>("#main")?.focus({ preventScroll: true });
      scrollTo(0, 0);
    }
    was.current = place;
  }, [place]);
  const sel = all(route, "sel");
  return (
    <>
      <a
        class="skip"
        href="#main"
        onClick={(event) => (event.preventDefault(), document.querySelector<HTMLElement>("#main")?.focus())}
      >
        To the content
      </a>
      <header class="top">
        <a class="brand" href={linkTo(["runs"])}>
          Laconic
        </a>
        <nav aria-label="Pages">
          {pages.map(([name, title]) => (
            <a
              key={name}
              href={linkTo([name], sel.length > 0 && name !== "benches" ? { sel } : {})}
              aria-current={page === name || `${page}es` === name ? "page" : undefined}
            >
              {title}
            </a>
          ))}
        </nav>
        <span class="space" />
        <ConnectionSign />
        <ThemeSwitch />
      </header>
      <Gone />
      {page === "compare" ? (
        <ComparePage />
      ) : page === "run" ? (
        <RunPage key={second} />
      ) : page === "bench" ? (
        <SamplesPage key={second} />
      ) : page === "benches" ? (
        <BenchesPage />
      ) : (
        <RunsPage />
      )}
      {foot}
    </>
  );
}

function ConnectionSign() {
  const state = useStore(connection);
  return (
    <span class={`connection small ${state}`} role="status">
      <i aria-hidden="true" />
      {state === "live" || state === "copy" ? state : state === "gone" ? "not connected" : "connecting"}
    </span>
  );
}

function Gone() {
  const state = useStore(connection);
  if (state !== "gone") return null;
  return (
    <p class="notice warn gone" role="alert">
      The server is gone; what is shown may be old. This page connects again by itself once <code>laconic view</code>{" "}
      runs again at this address.
    </p>
  );
}
