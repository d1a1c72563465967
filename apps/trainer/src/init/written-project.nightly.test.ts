import { test } from "vitest";
import { expectOwnTestPasses } from "../../test/project-folder.ts";
import { templateNames } from "./templates.ts";

test.each(templateNames)("%s: its test passes after a short training", expectOwnTestPasses);
