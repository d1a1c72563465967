/** Colours hold in light and dark mode and for the common colour-vision deficiencies; marks carry a number, a stroke or a name besides. */
export const colours = `
:root{--paper:#fcfcfb;--panel:#fff;--ink:#16181d;--soft:#5b6270;--line:#e3e5ea;--c1:#2a6fdb;--c2:#c4501a;--c3:#0f7d57;--c4:#8250d0;--c5:#8f6b00;--c6:#b8326a;--c7:#23788f;--say:#e9f0fb;--fact:#fbf3df;--heard:#eef0f3}
@media (prefers-color-scheme:dark){:root{--paper:#14161a;--panel:#1b1e24;--ink:#eceef2;--soft:#a7afbd;--line:#343a45;--c1:#7caef8;--c2:#f0895a;--c3:#43c796;--c4:#b99cf0;--c5:#ddb440;--c6:#f283ae;--c7:#6cc3da;--say:#22304a;--fact:#393019;--heard:#262a32}}
`;

/** Below this width pages show the narrow drawing of each chart. */
const narrow = 860;

/** The style sheet of every page. */
export const theme: string = `${colours}
:root{color-scheme:light dark}
*{box-sizing:border-box}
body{margin:0;background:var(--paper);color:var(--ink);font:16px/1.55 system-ui,sans-serif;overflow-wrap:anywhere}
main{max-width:1000px;margin:0 auto;padding:32px 24px 64px}
h1{font-size:26px;line-height:1.25;margin:0 0 12px}h2{font-size:19px;margin:40px 0 10px}h3{font-size:15.5px;margin:0}
p{margin:0 0 10px}.lead{color:var(--soft);margin:-4px 0 20px;max-width:75ch}h2+.lead{margin-top:0}section{margin:0 0 24px}
.alert{border-left:4px solid var(--c2);padding:8px 14px;background:var(--panel);margin:0 0 20px}
a{color:var(--c1)}:focus-visible{outline:2px solid var(--c1);outline-offset:2px}
.tiles{display:flex;flex-wrap:wrap;gap:12px;margin:0 0 20px;padding:0}
.tile{flex:1 1 auto;min-width:130px;background:var(--panel);border:1px solid var(--line);border-radius:10px;padding:12px 14px;display:flex;flex-direction:column-reverse;justify-content:flex-end}
.tile dd{margin:0;font-size:17px;font-weight:650;line-height:1.3;font-variant-numeric:tabular-nums}.tile dt{color:var(--soft);font-size:14px;width:0;min-width:100%}
.charts{display:grid;grid-template-columns:repeat(2,minmax(0,1fr));gap:16px}
.chart{margin:0 0 16px;background:var(--panel);border:1px solid var(--line);border-radius:10px;padding:14px 14px 10px;min-width:0}
.charts .chart{margin:0}.charts .chart:not(:has(svg)){align-self:start}
.chart h2{margin:0}figcaption p{color:var(--soft);font-size:14px;margin:2px 0 8px}
.chart>svg{display:block;width:100%;height:auto}.chart>svg.narrow{display:none}
.said{margin:4px 0 8px}
.legend{list-style:none;display:flex;flex-wrap:wrap;gap:3px 18px;padding:0;margin:0 0 8px;font-size:14px}
.legend li{display:flex;align-items:baseline;gap:7px;min-width:0}.legend .key{flex:none;width:26px;height:10px}
.legend.many{display:grid;grid-template-columns:repeat(auto-fill,minmax(min(100%,290px),1fr))}.legend .key.dot{width:14px;height:14px;align-self:flex-start;margin-top:4px}.legend b{white-space:nowrap;font-variant-numeric:tabular-nums}
details{font-size:14px}summary{cursor:pointer;color:var(--soft);padding:4px 0}
.scroll{overflow:auto;max-height:440px;margin:6px 0}
table{border-collapse:collapse;font-size:14px;font-variant-numeric:tabular-nums}
th,td{padding:5px 10px;border-bottom:1px solid var(--line);text-align:right;white-space:nowrap;font-weight:400}
thead th{color:var(--soft);vertical-align:bottom;white-space:normal;min-width:5.5em;overflow-wrap:normal}
th:first-child,td:first-child{text-align:left}tbody th{font-weight:600;white-space:normal;min-width:8em}
.words{text-align:left}.long{text-align:left;white-space:normal;min-width:13em}
.remark{color:var(--soft);font-size:14px;margin:4px 0}
.pair{display:grid;grid-template-columns:1fr 1fr;gap:16px;margin:10px 0 28px}
.question{margin:26px 0 2px}.asked .text,.verdict .text,.prompts .text{font-family:ui-monospace,monospace;font-size:14px;white-space:pre-wrap}
.game{border-left:4px solid var(--c1);padding:6px 14px;margin:0 0 16px;max-width:75ch}
.talk{background:var(--panel);border:1px solid var(--line);border-radius:10px;padding:14px;min-width:0}
.talk h4{font-size:15px;margin:0 0 10px;display:flex;flex-wrap:wrap;justify-content:space-between;gap:2px 8px}
.talk h4 span{color:var(--soft);font-weight:400}
.turns{list-style:none;margin:0;padding:0}.turn{margin:0 0 14px}
.turn h5{font-size:14px;margin:0 0 4px}.turn h5 span{color:var(--soft);font-weight:400}
.turn dl{margin:0;display:grid;grid-template-columns:4.6em minmax(0,1fr);gap:3px 8px;font-size:14px}
.turn dt{color:var(--soft);padding:3px 0;grid-column:1}.turn dd{grid-column:2;margin:0;padding:3px 10px;border-radius:8px}
.turn .text{font-family:ui-monospace,monospace;font-size:14px;white-space:pre-wrap}
.fact{background:var(--fact)}.heard{background:var(--heard);border-left:3px solid var(--soft)}
.says{background:var(--say);border-left:3px solid var(--c1)}.silent{border:1px dashed var(--line);color:var(--soft);font-style:italic}
.prompts{margin:4px 0}.prompts dt{color:var(--soft)}.prompts dd{margin:0 0 8px}
.verdict{margin:10px 0 0}.right{color:var(--c3)}.wrong{color:var(--c2)}
pre{background:var(--panel);border:1px solid var(--line);border-radius:10px;padding:12px;overflow:auto;font-size:13.5px;white-space:pre-wrap;margin:6px 0}
@media (max-width:${narrow}px){
main{padding:22px 14px 48px}.charts,.pair{grid-template-columns:minmax(0,1fr)}
.chart>svg{display:none}.chart>svg.narrow{display:block;max-width:480px;margin:0 auto}
h1{font-size:22px}.tiles{display:grid;grid-template-columns:1fr 1fr}.turn dl{grid-template-columns:3.4em minmax(0,1fr)}
}
@media print{details{display:none}.chart,.talk{break-inside:avoid}}
`;
