/** npm scope of all published packages. */
export const scope = "@laconic";
export const repository = "https://github.com/laconic-ai/laconic";
