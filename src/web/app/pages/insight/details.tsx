import { useEffect, useId, useState } from "preact/hooks";
import { Button, IconButton } from "../../ui/button.tsx";
import type { EditorState } from "./useEditor.ts";

const DESCRIPTION_MAX = 4_000;

/** The description and the tags of an insight. */
export function Details({ editor }: { editor: EditorState }) {
  const { description, tags } = editor.labels;
  const [isOpen, setOpen] = useState(false);
  const isEmpty = description === "" && tags.length === 0;
  if (!editor.mayEdit) return isEmpty ? null : <Fixed description={description} tags={tags} />;
  if (!isOpen && isEmpty) {
    return (
      <div class="insight-details">
        <Button look="quiet" icon="plus" onClick={() => setOpen(true)}>
          Description and tags
        </Button>
      </div>
    );
  }
  return (
    <div class="insight-details">
      <Description
        value={description}
        isFocused={isOpen && description === ""}
        onChange={(next) => editor.setLabels({ description: next })}
      />
      <Tags value={tags} onChange={(next) => editor.setLabels({ tags: next })} />
    </div>
  );
}

function Fixed({ description, tags }: { description: string; tags: readonly string[] }) {
  return (
    <div class="insight-details">
      {description !== "" && <p dir="auto">{description}</p>}
      <div class="insight-tags">
        {tags.map((tag) => (
          <span key={tag} class="tag cut" dir="auto" title={tag}>
            {tag}
          </span>
        ))}
      </div>
    </div>
  );
}

interface DescriptionProps {
  value: string;
  isFocused: boolean;
  onChange(value: string): void;
}

function Description({ value, isFocused, onChange }: DescriptionProps) {
  const [text, setText] = useState(value);
  useEffect(() => setText(value), [value]);
  return (
    <textarea
      class="insight-description"
      aria-label="Description"
      placeholder="Description"
      dir="auto"
      rows={1}
      maxLength={DESCRIPTION_MAX}
      value={text}
      ref={(area) => {
        if (area !== null && isFocused && area.value === "" && document.activeElement === document.body) area.focus();
      }}
      onInput={(event) => setText(event.currentTarget.value)}
      onBlur={() => text.trim() !== value && onChange(text.trim())}
    />
  );
}

function Tags({ value, onChange }: { value: readonly string[]; onChange(tags: string[]): void }) {
  const [text, setText] = useState("");
  const id = useId();
  const add = () => {
    const added = text.split(",").map((tag) => tag.trim().toLowerCase());
    const next = Array.from(new Set([...value, ...added])).filter((tag) => tag !== "");
    setText("");
    if (next.length > value.length) onChange(next);
  };
  return (
    <div class="insight-tags">
      {value.map((tag) => (
        <span key={tag} class="tag" dir="auto">
          <span class="cut" title={tag}>
            {tag}
          </span>
          <IconButton
            label={`Remove the tag ${tag}`}
            icon="close"
            onClick={() => onChange(value.filter((one) => one !== tag))}
          />
        </span>
      ))}
      <label class="unseen" for={id}>
        Add a tag
      </label>
      <input
        id={id}
        placeholder="Add tag"
        value={text}
        onInput={(event) => setText(event.currentTarget.value)}
        onKeyDown={(event) => {
          if (event.key !== "Enter" && event.key !== ",") return;
          event.preventDefault();
          add();
        }}
        onBlur={add}
      />
    </div>
  );
}
