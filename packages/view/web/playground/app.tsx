import { useEffect, useMemo, useState } from "preact/hooks";
import { Button } from "../parts/elements.tsx";
import { ThemeSwitch } from "../parts/theme.tsx";
import { AskRelay, AskTellers } from "./ask.tsx";
import { RunControls, SteeringControls, Notices } from "./controls.tsx";
import { Keep } from "./keep.tsx";
import { Level, levelTexts } from "./level.ts";
import { Numbers } from "./numbers.tsx";
import { Stage } from "./stage.tsx";
import { useSession, type SessionHandle } from "./use-session.ts";
import { levelIn, levelNames, settingsIn, type LevelName } from "./worker/settings.ts";

const storyLicence = new URL("./model/LICENSE.txt", import.meta.url).href;

/** @param query - level and settings of a new run, and `embed` */
export function App({ query }: { query: string }) {
  const isEmbedded = new URLSearchParams(query).has("embed") || window.top !== window;
  const [shown, setShown] = useState(() => levelIn(query));
  // Levels start when first shown, and stay mounted.
  const [begun, setBegun] = useState<readonly LevelName[]>([shown]);
  const choose = (level: LevelName): void => {
    setShown(level);
    setBegun((before) => (before.includes(level) ? before : [...before, level]));
  };
  return (
    <div class={isEmbedded ? "page embedded" : "page"}>
      {!isEmbedded && (
        <header>
          <div class="line">
            <h1>{levelTexts[shown].title}</h1>
            <span class="last">
              <ThemeSwitch />
            </span>
          </div>
          <p>{levelTexts[shown].about}</p>
          <nav class="line" aria-label="Levels">
            {levelNames.map((level) => (
              <Button key={level} aria-pressed={level === shown} onClick={() => choose(level)}>
                {levelTexts[level].tab}
              </Button>
            ))}
          </nav>
        </header>
      )}
      <main>
        {begun.map((level) => (
          <div key={level} hidden={level !== shown}>
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

function LevelPage({ level, query, isEmbedded, isShown }: LevelPageProps) {
  const settings = useMemo(() => settingsIn(query, level), [query, level]);
  const session = useSession(settings, !isEmbedded);
  const { state, send } = session;
  const { active } = state;
  useEffect(() => {
    if (!isShown && active) send({ type: "pause" });
  }, [isShown, active, send]);
  return (
    <>
      <Notices session={session} />
      <div class="bar panel">
        <RunControls session={session} />
      </div>
      <div class="columns">
        <CurrentStage session={session} />
        <div class="stack">
          <Numbers state={state} />
          <section class="panel">
            <SteeringControls session={session} />
          </section>
        </div>
      </div>
      {level === "tellers" && (
        <p class="soft small">
          Language model: stories260K by Andrej Karpathy (<a href={storyLicence}>MIT licence</a>).
        </p>
      )}
      {isEmbedded ? (
        <p class="small">
          <a href={location.pathname} target="_top">
            Open the playground
          </a>{" "}
          to ask your own questions and export the run.
        </p>
      ) : (
        <div class="stack">
          {level === "tellers" ? <AskTellers session={session} /> : <AskRelay session={session} />}
          <Keep session={session} />
        </div>
      )}
    </>
  );
}

function CurrentStage({ session }: { session: SessionHandle }) {
  const { team, episode, step, failure, warmUp, settings } = session.state;
  if (team && episode) return <Stage {...{ team, episode, step }} isWarmingUp={warmUp !== null} />;
  const size = settings.level === "tellers" ? "1.1 MB" : "0.6 MB";
  return (
    <section class="panel loading" aria-busy="true">
      <p class="soft">{failure ? "The model could not be loaded." : `Loading the model (${size}) …`}</p>
    </section>
  );
}
