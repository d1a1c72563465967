export const repository = "https://github.com/laconic-ai/laconic";
