/** Colours hold in light and dark mode and for the common colour-vision deficiencies; marks carry a name besides. */
export const theme = `
:root{--paper:#fcfcfb;--panel:#fff;--ink:#16181d;--soft:#5b6270;--line:#e3e5ea;--c1:#2a6fdb;--c2:#d9622b;--c3:#16996b;--c4:#8a5cd6;--c5:#b98a00;--say:#eef3fb}
@media (prefers-color-scheme:dark){:root{--paper:#14161a;--panel:#1b1e24;--ink:#eceef2;--soft:#a0a8b6;--line:#2d323b;--c1:#6ea3f5;--c2:#f0895a;--c3:#43c796;--c4:#b293ee;--c5:#ddb440;--say:#222a38}}
*{box-sizing:border-box}
body{margin:0;background:var(--paper);color:var(--ink);font:15px/1.5 system-ui,sans-serif}
main{max-width:1000px;margin:0 auto;padding:32px 24px 64px}
h1{font-size:26px;margin:0 0 4px}h2{font-size:18px;margin:40px 0 12px}
.lead{color:var(--soft);margin:0 0 24px}
.tiles{display:grid;grid-template-columns:repeat(auto-fit,minmax(150px,1fr));gap:12px}
.tile{background:var(--panel);border:1px solid var(--line);border-radius:10px;padding:12px 14px}
.tile b{display:block;font-size:22px;font-variant-numeric:tabular-nums}.tile span{color:var(--soft);font-size:13px}
.charts{display:grid;grid-template-columns:repeat(auto-fit,minmax(380px,1fr));gap:16px}
.chart{margin:0;background:var(--panel);border:1px solid var(--line);border-radius:10px;padding:14px;min-width:0}
.chart svg{display:block;width:100%;height:auto}
.wide{margin-top:16px}
figcaption strong{display:block}figcaption span{color:var(--soft);font-size:13px}
.legend{list-style:none;display:flex;flex-wrap:wrap;gap:4px 14px;padding:0;margin:6px 0 0;font-size:13px}
.legend .key{display:inline-block;width:14px;height:3px;border-radius:2px;margin-right:6px;vertical-align:middle}
.grid{stroke:var(--line)}.tick,.note,.label{fill:var(--soft);font-size:11.5px;font-variant-numeric:tabular-nums}
.label{fill:var(--ink);font-size:13px;font-weight:600}.label,.note{paint-order:stroke;stroke:var(--panel);stroke-width:4px;stroke-linejoin:round}
.reference{stroke:var(--soft);stroke-dasharray:5 4}
.curve{fill:none;stroke-width:2;stroke-linejoin:round}.faint{opacity:.28;stroke-width:1}
.bar{stroke:var(--soft);opacity:.5}.dot{fill:var(--c1)}.end{stroke:var(--panel);stroke-width:1.5}
path.c1{stroke:var(--c1)}path.c2{stroke:var(--c2)}path.c3{stroke:var(--c3)}path.c4{stroke:var(--c4)}path.c5{stroke:var(--c5)}
circle.c1{fill:var(--c1)}circle.c2{fill:var(--c2)}circle.c3{fill:var(--c3)}circle.c4{fill:var(--c4)}circle.c5{fill:var(--c5)}
i.c1{background:var(--c1)}i.c2{background:var(--c2)}i.c3{background:var(--c3)}i.c4{background:var(--c4)}i.c5{background:var(--c5)}
.empty{color:var(--soft)}
.pair{display:grid;grid-template-columns:1fr 1fr;gap:16px;margin-bottom:16px}
@media (max-width:700px){.pair,.charts{grid-template-columns:1fr}}
.talk{background:var(--panel);border:1px solid var(--line);border-radius:10px;padding:14px;min-width:0}
.talk h3{font-size:14px;margin:0 0 8px;display:flex;justify-content:space-between;gap:8px}
.talk h3 span{color:var(--soft);font-weight:400}
.turn{margin:8px 0}.turn header{font-size:12px;color:var(--soft);overflow-wrap:anywhere}
.turn p{margin:2px 0 0;background:var(--say);border-radius:8px;padding:6px 10px;font-family:ui-monospace,monospace;font-size:13px;white-space:pre-wrap;overflow-wrap:anywhere}
.turn .silent{background:none;border:1px dashed var(--line);color:var(--soft);font-style:italic}
.verdict{font-size:13px;margin-top:10px}.right{color:var(--c3)}.wrong{color:var(--c2)}
details pre{background:var(--panel);border:1px solid var(--line);border-radius:10px;padding:12px;overflow:auto;font-size:12.5px}
`;
