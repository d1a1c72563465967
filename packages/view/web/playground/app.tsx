import type { JSX } from "preact";
import { useEffect, useMemo, useState } from "preact/hooks";
import { ThemeSwitch } from "../parts/theme-switch.tsx";
import { AskTellers } from "./ask-tellers.tsx";
import { Ask, SameQuestion } from "./ask.tsx";
import { RunControls, SteeringControls } from "./controls.tsx";
import { Keep } from "./keep.tsx";
import { LevelTabs } from "./level-tabs.tsx";
import { Level, levelWords } from "./level.ts";
import { ModelNeeded } from "./model-needed.tsx";
import { NewRun } from "./new-run.tsx";
import { Notices } from "./notices.tsx";
import { Numbers } from "./numbers.tsx";
import { Stage } from "./stage.tsx";
import { TellersStage } from "./tellers-stage.tsx";
import { useSession, type SessionHandle } from "./use-session.ts";
import { levelIn, settingsIn, type LevelName } from "./worker/settings.ts";

/** @param query - of the page's address: level and settings of a new run, and `embed` for the part that stands on another page */
export function App({ query }: { readonly query: string }): JSX.Element {
  const isEmbedded = new URLSearchParams(query).has("embed") || window.top !== window;
  const [shown, setShown] = useState(() => levelIn(query));
  // A level begins when it is first looked at, and stays as it is behind the other one.
  const [begun, setBegun] = useState<readonly LevelName[]>([shown]);
  const choose = (level: LevelName): void => {
    setShown(level);
    setBegun((before) => (before.includes(level) ? before : [...before, level]));
  };
  return (
    <div class={isEmbedded ? "page embedded" : "page"}>
      {!isEmbedded && (
        <header>
          <div class="title">
            <h1>{levelWords[shown].title}</h1>
            <ThemeSwitch />
          </div>
          <p>{levelWords[shown].about}</p>
          <LevelTabs shown={shown} onChoose={choose} />
        </header>
      )}
      <main>
        {begun.map((level) => (
          <div key={level} class="level" hidden={level !== shown}>
            <Level.Provider value={level}>
              <LevelPage {...{ level, query, isEmbedded }} isShown={level === shown} />
            </Level.Provider>
          </div>
        ))}
      </main>
    </div>
  );
}

interface LevelPageProps {
  readonly level: LevelName;
  readonly query: string;
  readonly isEmbedded: boolean;
  readonly isShown: boolean;
}

function LevelPage({ level, query, isEmbedded, isShown }: LevelPageProps): JSX.Element {
  const settings = useMemo(() => settingsIn(query, level), [query, level]);
  const session = useSession({ settings, keep: !isEmbedded });
  const { state, send } = session;
  const { active } = state;
  useEffect(() => {
    if (!isShown && active) send({ type: "pause" });
  }, [isShown, active, send]);
  const isStory = level === "tellers";
  return (
    <>
      <Notices session={session} />
      {state.needsModel && state.device === null ? (
        <ModelNeeded session={session} />
      ) : (
        <>
          <div class="bar panel">
            <RunControls session={session} />
          </div>
          <div class="columns">
            <TheStage session={session} isStory={isStory} />
            <div class="side">
              <Numbers state={state} />
              <section class="panel">
                <SteeringControls session={session} />
              </section>
            </div>
          </div>
        </>
      )}
      {isEmbedded ? (
        <p class="small">
          <a href={location.pathname} target="_top">
            Open the playground
          </a>{" "}
          to ask the team questions of your own, and to take the run with you.
        </p>
      ) : (
        !(state.needsModel && state.device === null) && (
          <div class="rest">
            {isStory ? <AskTellers session={session} /> : <Ask session={session} />}
            <SameQuestion state={state} />
            <Keep session={session} />
            <NewRun key={`${state.settings.seed} ${state.settings.device}`} session={session} />
          </div>
        )
      )}
    </>
  );
}

function TheStage({ session, isStory }: { readonly session: SessionHandle; readonly isStory: boolean }): JSX.Element {
  const { team, episode, step, told, failure, warmUp } = session.state;
  if (team && episode)
    return isStory ? (
      <TellersStage {...{ episode, told, step }} isWarmingUp={warmUp !== null} />
    ) : (
      <Stage {...{ team, episode, step }} />
    );
  const size = isStory ? "" : " (0.6 MB)";
  return (
    <section class="panel stage loading" aria-busy="true">
      <p class="soft">{failure ? "The model could not be loaded." : `Loading model${size} ...`}</p>
    </section>
  );
}
