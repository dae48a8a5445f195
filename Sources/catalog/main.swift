import CatalogProgram

runCatalog()
