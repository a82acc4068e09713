/** Whether the API serves the documentation: it says so in the page. */
const docs = document.querySelector<HTMLMetaElement>('meta[name="aosc-docs"]')?.content;

/** A page of the documentation: a link where the API has it, else the file of the project. @param page `docs/….md` */
export function DocLink({ page }: { readonly page: string }) {
  if (docs === undefined) return <code>{page}</code>;
  const address = `${docs}${page.replace(/^docs\//, '').replace(/\.md$/, '.html')}`;
  return (
    <a href={address} target="_blank" rel="noreferrer">
      {nameOf(page)}
    </a>
  );
}

/** docs/how-to/run-a-migration.md: Run a migration */
function nameOf(page: string): string {
  const words = (page.split('/').at(-1) ?? page).replace(/\.md$/, '').replaceAll('-', ' ');
  return words.charAt(0).toUpperCase() + words.slice(1);
}
