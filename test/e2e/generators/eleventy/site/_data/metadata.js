export default {
  title: 'Allotment notes',
  url: 'https://allotment.example/notes/',
  language: 'en-GB',
  author: { name: 'Wren Ashby' },
};
