import type { JSX } from "preact";
import { useMemo } from "preact/hooks";
import { ThemeSwitch } from "../parts/theme-switch.tsx";
import { Ask, SameQuestion } from "./ask.tsx";
import { RunControls, SteeringControls } from "./controls.tsx";
import { Keep } from "./keep.tsx";
import { NewRun } from "./new-run.tsx";
import { Notices } from "./notices.tsx";
import { Numbers } from "./numbers.tsx";
import { Stage } from "./stage.tsx";
import { useSession } from "./use-session.ts";
import { settingsIn } from "./worker/settings.ts";

/** @param query - of the page's address: settings of a new run, and `embed` for the part that stands on another page */
export function App({ query }: { readonly query: string }): JSX.Element {
  const words = useMemo(() => new URLSearchParams(query), [query]);
  const isEmbedded = words.has("embed") || window.top !== window;
  const settings = useMemo(() => settingsIn(query), [query]);
  const session = useSession({ settings, takesSoftware: words.has("software"), keep: !isEmbedded });
  const { state } = session;
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
            <Stage team={state.team} episode={state.episode} step={state.step} />
          ) : (
            <section class="panel stage loading" aria-busy="true">
              <p class="soft">{state.failure ? "The model could not be loaded." : "Loading model (0.6 MB) ..."}</p>
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
        Three holders know one digit each. A solver, who knows none, is asked for the sum of two of them and reads only
        the holders&#39; messages. Every token costs a little, so the team learns, here in this tab, what is not worth
        writing.
      </p>
    </header>
  );
}
