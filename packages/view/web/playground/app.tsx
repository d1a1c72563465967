import type { JSX } from "preact";
import { useMemo } from "preact/hooks";
import { ThemeSwitch } from "../parts/theme-switch.tsx";
import { Ask, SameQuestion } from "./ask.tsx";
import { RunControls, SteeringControls } from "./controls.tsx";
import { Keep, NewRun } from "./keep.tsx";
import { Numbers } from "./numbers.tsx";
import { Stage } from "./stage.tsx";
import { useSession, type SessionHandle } from "./use-session.ts";
import { settingsIn } from "./worker/settings.ts";

/** @param query - of the page's address: settings of a new run, and `embed` for the part that stands on another page */
export function App({ query }: { readonly query: string }): JSX.Element {
  const first = useMemo(() => settingsIn(query), [query]);
  const isEmbedded = useMemo(() => new URLSearchParams(query).has("embed") || window.top !== window, [query]);
  const session = useSession(first, !isEmbedded);
  const { state } = session;
  const price = state.points.at(-1)?.price ?? 0;
  return (
    <div class={isEmbedded ? "page embedded" : "page"}>
      {!isEmbedded && <Introduction />}
      <main>
        <Notices session={session} />
        <div class="bar panel">
          <RunControls session={session} />
        </div>
        <div class="columns">
          {state.team && state.episode ? (
            <Stage team={state.team} episode={state.episode} {...{ price }} step={state.step} />
          ) : (
            <section class="panel stage loading" aria-busy="true">
              <p class="soft">{state.failure ? "The team is not here." : "The team is on its way: 0.6 MB."}</p>
            </section>
          )}
          <div class="side">
            <Numbers state={state} />
            <section class="panel">
              <SteeringControls session={session} />
            </section>
          </div>
        </div>
        {isEmbedded ? (
          <p class="small">
            <a href={location.pathname} target="_top">
              Open the playground
            </a>{" "}
            to ask the team questions of your own, and to take the run with you.
          </p>
        ) : (
          <div class="rest">
            <Ask session={session} />
            <SameQuestion state={state} />
            <Keep session={session} />
            <NewRun key={`${state.settings.seed} ${state.settings.device}`} session={session} />
          </div>
        )}
      </main>
    </div>
  );
}

function Introduction(): JSX.Element {
  return (
    <header>
      <div class="title">
        <h1>Watch a team learn to say less</h1>
        <ThemeSwitch />
      </div>
      <p>
        Three holders know one digit each, and a solver who knows none is asked for the sum of two of them: it hears
        what the holders say, and nothing else. Every token costs a little, so the team learns, here in this tab, what
        is not worth saying.
      </p>
    </header>
  );
}

function Notices({ session }: { readonly session: SessionHandle }): JSX.Element {
  const { failure, warnings, device, settings } = session.state;
  return (
    <div class="notices" aria-live="polite">
      {failure && (
        <div class="notice bad" role="alert">
          <p>{failure.message}</p>
          <p class="row">
            {device === null ? (
              <>
                <button class="button" type="button" onClick={() => location.reload()}>
                  Load the page again
                </button>
                <button class="button" type="button" onClick={() => session.replace({ ...settings, device: "wasm" })}>
                  Begin a new run
                </button>
              </>
            ) : (
              <button class="button" type="button" onClick={session.dismiss}>
                Close
              </button>
            )}
          </p>
        </div>
      )}
      {warnings.length > 0 && (
        <details class="notice warn">
          <summary>
            {warnings.length === 1 ? "One note" : `${warnings.length} notes`} on this run:{" "}
            <span>{warnings.at(-1)}</span>
          </summary>
          <ul>
            {warnings.map((warning, i) => (
              <li key={i} class="said-text">
                {warning}
              </li>
            ))}
          </ul>
        </details>
      )}
    </div>
  );
}
