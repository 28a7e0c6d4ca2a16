import { type Block, type Inline, parseMarkdown } from "./markdown.ts";

/** A text with its headings, lists and links, made of elements alone. */
export function Markdown({ source }: { source: string }) {
  return (
    <div class="markdown" dir="auto">
      {parseMarkdown(source).map((block, i) => (
        <BlockView key={i} block={block} />
      ))}
    </div>
  );
}

function BlockView({ block }: { block: Block }) {
  if (block.kind === "heading") {
    // Below the heading of the page.
    const Tag = block.level === 1 ? "h2" : "h3";
    return <Tag class={`level-${block.level}`}>{inline(block.parts)}</Tag>;
  }
  if (block.kind === "list") {
    const Tag = block.isOrdered ? "ol" : "ul";
    return (
      <Tag>
        {block.items.map((item, i) => (
          <li key={i}>{inline(item)}</li>
        ))}
      </Tag>
    );
  }
  return <p>{block.lines.map((line, i) => [i > 0 && <br />, inline(line)])}</p>;
}

const inline = (parts: readonly Inline[]) => parts.map((part) => partView(part));

function partView(part: Inline) {
  if (part.kind === "text") return part.text;
  if (part.kind === "code") return <code>{part.text}</code>;
  if (part.kind === "link") {
    return (
      <a href={part.href} target="_blank" rel="noopener noreferrer">
        {inline(part.parts)}
      </a>
    );
  }
  return part.kind === "strong" ? <strong>{inline(part.parts)}</strong> : <em>{inline(part.parts)}</em>;
}
