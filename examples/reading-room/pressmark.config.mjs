// The site of `pressmark demo`, and of the pictures in the README.
/** @type {import('pressmark').ConfigInput} */
export default {
  site: {
    title: 'The Reading Room',
    description: 'Notes on books, shelves and machines that know their place.',
    author: 'Ada Finch',
    toc: 4,
  },
};
