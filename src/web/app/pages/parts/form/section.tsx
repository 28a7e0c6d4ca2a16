import type { ComponentChildren } from "preact";

/** A part of a page of settings: what it is about at the left, what can be done at the right. */
export function Section({
  title,
  about,
  children,
}: {
  title: string;
  about?: ComponentChildren;
  children: ComponentChildren;
}) {
  return (
    <section class="section">
      <div class="section-about">
        <h2>{title}</h2>
        {about !== undefined && <p>{about}</p>}
      </div>
      <div class="section-body">{children}</div>
    </section>
  );
}
