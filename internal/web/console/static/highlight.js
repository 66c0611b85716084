// Colours code without adding anything to the page: ranges over its text, as the
// browser's own highlights. Where a browser has none, the text stays plain.
"use strict";
const highlight = (() => {
  const text = String.raw`(?<text>"(?:\\.|[^"\\\n])*"?|'(?:\\.|[^'\\\n])*'?|\x60[^\x60]*\x60?)`;
  const number = String.raw`(?<number>\b\d[\w.]*)`;
  const word = (list) => String.raw`(?<word>\b(?:${list.trim().split(/\s+/).join("|")})\b)`;
  const slash = String.raw`(?<note>\/\/[^\n]*|\/\*[^]*?(?:\*\/|$))`;
  const hash = String.raw`(?<note>(?:^|(?<=\s))#[^\n]*)`;
  const family = (...parts) => new RegExp(parts.join("|"), "gm");
  const families = {
    code: family(slash, text, number, word(`async await break case catch chan class const continue default defer do else enum
      export extends false final finally fn for from func function go if implements impl import in interface let loop map match
      mod mut new nil null package private public pub range return select static struct super switch this throw true try type
      typeof undefined use var void while yield`)),
    script: family(hash, text, number, word(`and as assert async await break case class continue def del do done elif else esac
      except export false False fi finally for from FROM function global if import in is lambda local None nonlocal not null or
      pass raise return RUN COPY CMD ENV EXPOSE WORKDIR set then true True try unset until while with yield`)),
    query: family(String.raw`(?<note>--[^\n]*|\/\*[^]*?(?:\*\/|$))`, text, number, word(`ADD ALTER AND AS BEGIN BY CHECK COLUMN
      COMMIT CREATE DEFAULT DELETE DROP EXISTS FOREIGN FROM IF INDEX INSERT INTEGER INTO JOIN KEY LIMIT NOT NULL ON OR ORDER
      PRIMARY REFERENCES SELECT SET TABLE TEXT UNIQUE UPDATE VALUES WHERE`)),
    markup: family(String.raw`(?<note><!--[^]*?(?:-->|$))`, String.raw`(?<word><\/?[\w:-]+|\/?>)`, text),
    prose: family(String.raw`(?<note>^\x60{3}[^\n]*|<!--[^]*?(?:-->|$))`, String.raw`(?<word>^#{1,6} [^\n]*)`,
      String.raw`(?<text>\x60[^\x60\n]+\x60)`, String.raw`(?<number>^\s*(?:[-*]|\d+\.)(?=\s))`),
    data: family(text, number, String.raw`(?<word>\b(?:true|false|null)\b)`),
  };
  const kinds = [
    [/\.(?:c|cc|cpp|cs|css|dart|go|h|java|js|jsx|kt|less|mjs|mod|php|proto|rs|scala|scss|swift|ts|tsx|zig)$/i, families.code],
    [/\.(?:bash|cfg|conf|env|example|ini|mk|pl|ps1|py|r|rb|sh|tf|toml|yaml|yml)$|(?:^|\/)(?:Dockerfile|Makefile|\.[a-z]+ignore|\.env[^/]*)$/i, families.script],
    [/\.sql$/i, families.query],
    [/\.(?:html?|svg|vue|xml|svelte)$/i, families.markup],
    [/\.(?:json|jsonc)$/i, families.data],
    [/\.md$/i, families.prose],
  ];
  const names = ["note", "text", "number", "word"];
  const sets = window.CSS?.highlights && new Map(names.map((name) => {
    const set = new Highlight();
    CSS.highlights.set(`code-${name}`, set);
    return [name, set];
  }));
  const most = 20000; // ranges on a page
  let count = 0;

  return {
    // of gives a painter for a path: it colours a text node, and again when the
    // node has grown.
    of(path) {
      const pattern = sets && kinds.find(([name]) => name.test(path))?.[1];
      const painted = new Map();
      return (node) => {
        if (!pattern) return;
        for (const [set, range] of painted.get(node) ?? []) {
          set.delete(range);
          count--;
        }
        const ranges = [];
        for (const match of node.data.matchAll(pattern)) {
          const name = names.find((n) => match.groups[n] !== undefined);
          if (!name || count > most) continue;
          const range = new StaticRange({ startContainer: node, startOffset: match.index, endContainer: node, endOffset: match.index + match[0].length });
          sets.get(name).add(range);
          ranges.push([sets.get(name), range]);
          count++;
        }
        painted.set(node, ranges);
      };
    },
    clear() {
      for (const set of sets?.values() ?? []) set.clear();
      count = 0;
    },
  };
})();
