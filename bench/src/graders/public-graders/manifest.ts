import type { ExemplarSource } from "@laconic/benchmarks/exemplars";

/**
 * Test files of public graders, which hold pairs with labels: fetched by commit and checked, never committed.
 * Omni-MATH's rules (KbsdJames/omni-math-rule at 4793415) have no labelled test; their grader is Qwen2.5-Math's file.
 */
export const publicGraders: readonly ExemplarSource[] = [
  source("Math-Verify", "huggingface/Math-Verify", "5d148cfaaf99214c2e4ffb4bc497ab042c592a7a", "Apache-2.0", [
    ["tests/test_all.py", 89309, "4d4a4525097ed30faad38a9c4c867e9629af41226b97cc685d14a14125042a0e"],
    ["tests/test_boxed.py", 828, "f4045ba514b27a39c287b0864325fae5f6a2228f6a01f282fc45ad04490af534"],
    ["tests/test_numina_cases.py", 3958, "fc4bbbb04e86e60eaf9e6a4921dc058ec12a52db34ed52aa991cfaf44a92d899"],
    ["tests/test_open_thoughts.py", 10972, "9dbe572d48205ef86665037c75704bf450dc2bda0ea0c00402c5f65841ae273b"],
    ["tests/test_strict.py", 385, "ff831f7e170ef1b07ac194cf6fe8191fbfd1c0927c20b2f41c3ee4013e9f1182"],
    ["tests/test_yujianll.py", 1243, "7d9d4561087ad3af87c3d8062daef71b7a6b879f2c71df7872ceb8c126ca151b"],
  ]),
  source("MATH", "hendrycks/math", "985bdc1696e88e8643f081a0ff4719da39f2ae2a", "MIT", [
    ["modeling/math_equivalence_test.py", 2169, "e2d998c789786e320618cbceb309d344b6bf6d64bf76d330b52235974618821a"],
  ]),
  source(
    "Minerva and AGIEval, by AISBench",
    "AISBench/benchmark",
    "29c363e38e9d1560e6f19eff582f6117943b6a77",
    "Apache-2.0",
    [
      ["tests/UT/datasets/test_math.py", 24342, "ffd454df126aebde6d162b1f7134a6d7b6a3532cbd52b45d5e0f3743c527d7d9"],
      [
        "tests/UT/datasets/agieval/test_math_equivalence.py",
        6710,
        "98c5901bf741c8918e75ed423e71d7c2755de576c0c69953712f93a5cdaa6d7a",
      ],
    ],
  ),
  source(
    "latex2sympy2_extended",
    "huggingface/latex2sympy2_extended",
    "02999f5d79ec772a2445f3e5d4b02c57a8078022",
    "MIT",
    [
      ["tests/abs_test.py", 824, "d6729b7f1591b8ba9727ac9043f4d130f4337ea868c43f145317c84a93d2b54e"],
      ["tests/all_good_test.py", 13007, "bf396cac9b8217276d3a0c6771776de2971be1da017184e14c033eeb63f5c886"],
      ["tests/atom_expr_test.py", 2232, "1705b728da4cda2669fad307081882c0acf4a4db59790a1e6989a987f88628df"],
      ["tests/binomial_test.py", 909, "57b4edc8a522bd178a0ff0b79ade130fae173f8182affbfdb93f70edd0ad8f4e"],
      ["tests/boxed_test.py", 754, "f10a82d5f0d241063a2336a9559367d36aae1513e7fbb8e3b471e4c071597fe8"],
      ["tests/ceil_test.py", 1525, "24ce82873d4e9971ad581c837cf40258fc0749c9e0ff28a7d32dffaa7c5e4983"],
      ["tests/complex_test.py", 443, "ddc17b023f4920aea9b0894b0442f641fcac6033d6a1e9ed403ab536643efae4"],
      ["tests/exp_test.py", 1232, "ab5da85f2c912a1f0367847238413428d231b1c6869060b5ebb0f44a04c95bda"],
      ["tests/floor_test.py", 1533, "dd16099e52fadf9163aa3629132a0361fa2a5721bc3de8e732c7ec9f48b45755"],
      ["tests/gcd_test.py", 10040, "2fe3263adeb3752707ae3eaa04e9a52dfd4efc349b41fe46d2d635c846e83d94"],
      ["tests/grouping_test.py", 2189, "81555e031bc8c4c5cd948289ac8832ccbbda05ebb63e76aa73ebcd240886adbc"],
      ["tests/lcm_test.py", 9849, "9af0ccae8533a198377a33ba63b3eae80914d34a6f55850ea930b6a1faac16ae"],
      ["tests/mixed_fraction_test.py", 630, "e8ccedf095376e46ca90d580d11490770e1216388346588f99c4f0f96f9fac35"],
      ["tests/mod_test.py", 3204, "5518f372a954b054ef34b375bdea4b84ad533c45746ef47a5a907ffd6100a7bd"],
      ["tests/normalization_test.py", 1135, "5ae0fb6addb806efb3af04a863d7bb1d18563b44435c00aa41f6dc6396009821"],
      ["tests/set_test.py", 7262, "863b195c042f055be6b6a2d3db4b23055e0d28e017fda02837c3108258b99314"],
      ["tests/trig_test.py", 531, "0f8bcfe7d76e57366dd7f0ea80bb6d3c00ac2f4d773ef528bfa2e00c26b94ace"],
    ],
  ),
];

function source(
  name: string,
  repository: string,
  commit: string,
  licence: string,
  files: readonly (readonly [path: string, bytes: number, sha256: string])[],
): ExemplarSource {
  const texts = files.map(([path, bytes, sha256]) => {
    const below = `${repository}/${commit}/${path}`;
    const url = `https://raw.githubusercontent.com/${below}`;
    return [path, { file: { path: `graders/${below}`, url, bytes, sha256 } }] as const;
  });
  return { name, title: repository, licence, texts: Object.fromEntries(texts), examples: 0 };
}
