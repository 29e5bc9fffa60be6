export const metadata = {
  metadataBase: new URL('https://allotment.example'),
  title: 'Allotment notes',
};

export default function Layout({ children }) {
  return (
    <html lang="en-GB">
      <body>
        <header>
          <a href="/notes/">Plot 30, behind the weir</a>
        </header>
        {children}
      </body>
    </html>
  );
}
