import yaml
from markdown import Markdown
from pelican.readers import MarkdownReader

class YamlReader(MarkdownReader):
    def read(self, source_path):
        with open(source_path, encoding='utf-8') as file:
            _, head, body = file.read().split('---\n', 2)
        data = yaml.safe_load(head)
        names = ['title', 'date', 'tags', 'description', 'status']
        found = {name: data[name] for name in names if name in data}
        found['date'] = str(found['date'])
        metadata = {name: self.process_metadata(name, value) for name, value in found.items()}
        return Markdown(extensions=['tables', 'fenced_code']).convert(body), metadata

READERS = {'md': YamlReader}
INTRASITE_LINK_REGEX = '(?P<what>(?!))'
SLUGIFY_SOURCE = 'basename'
ARTICLE_URL = '{slug}/'
ARTICLE_SAVE_AS = '{slug}/index.html'
