/** What a project begins with. */
export function HomePage() {
  return (
    <main class="page">
      <div class="page-head">
        <h1>Home</h1>
      </div>
    </main>
  );
}
