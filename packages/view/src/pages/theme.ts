import { designStyle } from "@laconic/core/design";

/** Below this width pages show the narrow drawing of each chart. */
const narrow = 860;

/** The style sheet of every page. */
export const theme: string = `${designStyle()}
:root{color-scheme:light dark}
*{box-sizing:border-box}
body{margin:0;background:var(--paper);color:var(--ink);font:var(--text)/1.5 var(--sans);overflow-wrap:anywhere}
main{max-width:1000px;margin:0 auto;padding:var(--space-8) var(--space-6) 64px}
h1{font-size:var(--text-title);line-height:1.25;margin:0 0 var(--space-3)}h2{font-size:var(--text-large);margin:var(--space-8) 0 var(--space-2)}h3{font-size:var(--text);margin:0}
p{margin:0 0 var(--space-2)}.lead{color:var(--soft);margin:0 0 var(--space-4);max-width:75ch}section{margin:0 0 var(--space-6)}
.alert{border-left:4px solid var(--warn);padding:var(--space-2) var(--space-4);background:var(--panel);margin:0 0 var(--space-4)}
a{color:var(--accent)}:focus-visible{outline:2px solid var(--accent);outline-offset:2px}
.tiles{display:flex;flex-wrap:wrap;gap:var(--space-3);margin:0 0 var(--space-4);padding:0}
.tile{flex:1 1 auto;min-width:130px;background:var(--panel);border:1px solid var(--line);border-radius:var(--radius);padding:var(--space-3);display:flex;flex-direction:column-reverse;justify-content:flex-end}
.tile dd{margin:0;font-size:var(--text-large);font-weight:650;line-height:1.3;font-variant-numeric:tabular-nums}.tile dt{color:var(--soft);font-size:var(--text-small);width:0;min-width:100%}
.charts{display:grid;grid-template-columns:repeat(2,minmax(0,1fr));gap:var(--space-4)}
.chart{margin:0 0 var(--space-4);background:var(--panel);border:1px solid var(--line);border-radius:var(--radius);padding:var(--space-3);min-width:0}
.charts .chart{margin:0}.charts .chart:not(:has(svg)){align-self:start}
.chart h2{margin:0}figcaption p{color:var(--soft);font-size:var(--text-small);margin:2px 0 var(--space-2)}
.chart>svg{display:block;width:100%;height:auto}.chart>svg.narrow{display:none}
.said{margin:var(--space-1) 0 var(--space-2)}
.legend{list-style:none;display:flex;flex-wrap:wrap;gap:var(--space-1) var(--space-4);padding:0;margin:0 0 var(--space-2);font-size:var(--text-small)}
.legend li{display:flex;align-items:baseline;gap:var(--space-2);min-width:0}.legend .key{flex:none;width:26px;height:10px}
.legend.many{display:grid;grid-template-columns:repeat(auto-fill,minmax(min(100%,290px),1fr))}.legend .key.dot{width:14px;height:14px;align-self:flex-start;margin-top:var(--space-1)}.legend b{white-space:nowrap;font-variant-numeric:tabular-nums}
details{font-size:var(--text-small)}summary{cursor:pointer;color:var(--soft);padding:var(--space-1) 0}
.scroll{overflow:auto;max-height:440px;margin:var(--space-1) 0}
table{border-collapse:collapse;font-size:var(--text-small);font-variant-numeric:tabular-nums}
th,td{padding:var(--space-1) var(--space-2);border-bottom:1px solid var(--line);text-align:right;white-space:nowrap;font-weight:400}
thead th{color:var(--soft);vertical-align:bottom;white-space:normal;min-width:5.5em;overflow-wrap:normal}
th:first-child,td:first-child{text-align:left}tbody th{font-weight:600;white-space:normal;min-width:8em}
.words{text-align:left}.long{text-align:left;white-space:normal;min-width:13em}
.remark{color:var(--soft);font-size:var(--text-small);margin:var(--space-1) 0}
.pair{display:grid;grid-template-columns:1fr 1fr;gap:var(--space-4);margin:var(--space-2) 0 var(--space-6)}
.question{margin:var(--space-6) 0 2px}.asked .text,.verdict .text,.prompts .text{font-family:var(--mono);font-size:var(--text-small);white-space:pre-wrap}
.game{border-left:4px solid var(--accent);padding:var(--space-1) var(--space-4);margin:0 0 var(--space-4);max-width:75ch}
.talk{background:var(--panel);border:1px solid var(--line);border-radius:var(--radius);padding:var(--space-3);min-width:0}
.talk h4{font-size:var(--text);margin:0 0 var(--space-2);display:flex;flex-wrap:wrap;justify-content:space-between;gap:2px var(--space-2)}
.talk h4 span{color:var(--soft);font-weight:400}
.turns{list-style:none;margin:0;padding:0}.turn{margin:0 0 var(--space-3)}
.turn h5{font-size:var(--text-small);margin:0 0 var(--space-1)}.turn h5 span{color:var(--soft);font-weight:400}
.turn dl{margin:0;display:grid;grid-template-columns:4.6em minmax(0,1fr);gap:var(--space-1) var(--space-2);font-size:var(--text-small)}
.turn dt{color:var(--soft);padding:2px 0;grid-column:1}.turn dd{grid-column:2;margin:0;padding:2px var(--space-2);border-radius:var(--radius-small)}
.turn .text{font-family:var(--mono);font-size:var(--text-small);white-space:pre-wrap}
.fact{background:var(--private-soft);color:var(--private)}.heard{background:var(--read-soft);color:var(--read)}
.says{background:var(--written-soft);color:var(--written)}.silent{border:1px dashed var(--edge);background:none;color:var(--soft);font-style:italic}
.prompts{margin:var(--space-1) 0}.prompts dt{color:var(--soft)}.prompts dd{margin:0 0 var(--space-2)}
.verdict{margin:var(--space-2) 0 0}.right{color:var(--good)}.wrong{color:var(--bad)}
pre{background:var(--panel);border:1px solid var(--line);border-radius:var(--radius);padding:var(--space-3);overflow:auto;font-size:var(--text-small);white-space:pre-wrap;margin:var(--space-1) 0}
@media (max-width:${narrow}px){
main{padding:var(--space-6) var(--space-3) var(--space-12)}.charts,.pair{grid-template-columns:minmax(0,1fr)}
.chart>svg{display:none}.chart>svg.narrow{display:block;max-width:480px;margin:0 auto}
.tiles{display:grid;grid-template-columns:1fr 1fr}.turn dl{grid-template-columns:3.4em minmax(0,1fr)}
}
@media print{details{display:none}.chart,.talk{break-inside:avoid}}
`;
