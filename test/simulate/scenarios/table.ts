import type { Scenario } from "../scenario.ts";
import { bench } from "./bench.ts";
import { fleet } from "./fleet.ts";
import { gateway } from "./gateway.ts";
import { receive } from "./receive.ts";
import { serve } from "./serve.ts";
import { sweep } from "./sweep.ts";
import { tinker } from "./tinker.ts";
import { trainAsync, trainSync } from "./train.ts";
import { twoTrainers } from "./two-trainers.ts";
import { view } from "./view.ts";

export const scenarios: Readonly<Record<string, Scenario>> = {
  train: trainSync,
  "train-async": trainAsync,
  "two-trainers": twoTrainers,
  bench,
  fleet,
  receive,
  tinker,
  sweep,
  gateway,
  serve,
  view,
};
