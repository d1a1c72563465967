// Our own lists, laconic-words@1: those of OpenMLRL's repository come without a licence. Scores depend on them.

/** Phrases that join thoughts, by what they do. */
export const transitionPhrases: Readonly<Record<string, readonly string[]>> = {
  elaboration: ["in addition", "additionally", "furthermore", "moreover", "also", "besides", "what is more", "further"],
  examples: ["for example", "for instance", "such as", "to illustrate", "namely", "in particular"],
  explanation: ["in other words", "that is", "this means", "specifically", "to clarify", "put differently"],
  cause: ["because", "therefore", "thus", "hence", "consequently", "as a result", "since", "due to", "so that"],
  contrast: ["however", "but", "in contrast", "on the other hand", "whereas", "instead", "yet", "conversely"],
  sequence: ["first", "second", "third", "next", "then", "finally", "subsequently", "afterwards"],
  emphasis: ["indeed", "in fact", "above all", "notably", "especially", "importantly"],
  summary: ["in summary", "in conclusion", "overall", "to sum up", "in short", "altogether"],
  comparison: ["similarly", "likewise", "in the same way", "compared with", "just as"],
  concession: ["although", "even though", "despite", "nevertheless", "nonetheless", "while", "admittedly"],
  condition: ["if", "unless", "provided that", "as long as", "otherwise", "in case"],
  time: ["meanwhile", "before", "after", "when", "during", "until", "later", "eventually"],
};

/** Words that say little by themselves; left out where two texts are compared. */
export const stopWords: ReadonlySet<string> = new Set(
  (
    "a an the this that these those and or but nor so yet for of in on at by to from with without into onto over under between through " +
    "i you he she it we they me him her us them my your his its our their mine yours who whom whose which what " +
    "is am are was were be been being do does did doing have has had having will would shall should can could may might must " +
    "not no as if then than there here when where why how all any both each few more most other some such only own same too very s t just about again"
  ).split(" "),
);
