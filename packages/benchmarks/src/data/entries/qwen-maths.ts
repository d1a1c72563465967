/** Where the evaluation code of Qwen2.5-Math keeps its copies; its evaluation folder is under MIT. */
export const qwenMaths =
  "https://raw.githubusercontent.com/QwenLM/Qwen2.5-Math/a45202bd16f1ec06f433442dc1152d0074773465/evaluation/data";
